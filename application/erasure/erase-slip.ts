import { Data, Effect } from "effect"
import { handleCommand, load } from "../events/handle-command.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"
import { slipDigest, subjectOfJob, subjectOfSlip } from "../sealing/sealed-data.ts"
import type { RecordReveal } from "../../domain/disclosure.ts"
import { disclosures, erasures, streamOf } from "../../domain/events/aggregates.ts"
import { beginning, type Position } from "../../domain/events/recorded-event.ts"
import { isoTime } from "../../domain/time.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { duplicatesModel, streamsOfSlip } from "../../projections/models/duplicates.ts"
import { jobSets, jobsModel } from "../../projections/models/jobs.ts"

/** The log has no verification and no job of the slip. */
export class SlipUnknown extends Data.TaggedError("SlipUnknown")<{}> {}

export interface SlipErasure {
  /** When the erasure was first requested. ISO 8601, UTC. */
  readonly at: string
  /** Jobs whose personal data was erased too. */
  readonly jobIds: ReadonlyArray<string>
}

const CATCH_UP_TIMEOUT_MILLIS = 5_000

const destroyKeys = Effect.fnUntraced(function* (digest: string, jobIds: ReadonlyArray<string>) {
  yield* (yield* Vault).erase([subjectOfSlip(digest), ...jobIds.map(subjectOfJob)])
})

/**
 * Erases the personal data of a slip (PDPA): appends the event, then destroys the keys that seal the data in every
 * service. Repeating it completes an erasure that was interrupted. Fails with `SlipUnknown`, or with a `VaultError`
 * when there are no keys to destroy.
 */
export const eraseSlip = Effect.fn("eraseSlip")(function* (
  sendingBank: string,
  transRef: string,
  reason: string | null,
  operation: Operation
) {
  const digest = yield* slipDigest(sendingBank, transRef)
  yield* caughtUp([duplicatesModel, jobsModel], CATCH_UP_TIMEOUT_MILLIS)
  const streams = yield* streamsOfSlip(digest).count()
  const jobIds = yield* jobSets.ofSlip(digest).names()
  if (streams === 0 && jobIds.length === 0) return yield* new SlipUnknown()
  const context = yield* contextOf(operation)
  const stream = streamOf.erasure(digest)
  const command = { _tag: "Forget", slipDigest: digest, jobIds, reason, at: isoTime(context.at) } as const
  const { after } = yield* handleCommand(erasures, stream, command, context)
  yield* destroyKeys(digest, after.jobIds)
  const [first] = yield* (yield* EventStore).readStream(stream, { limit: 1 })
  const erasure: SlipErasure = { at: first?.metadata.at ?? command.at, jobIds: after.jobIds }
  return erasure
})

/** Events read at a time. */
const PAGE = 1_000

/**
 * Destroys the keys of all erased slips again. Call it after an older key file was restored. Returns the number of
 * slips.
 */
export const repeatErasures = Effect.fn("repeatErasures")(function* () {
  const store = yield* EventStore
  const digests = new Set<string>()
  let after: Position = beginning
  for (;;) {
    const page = yield* store.readAll({ after, limit: PAGE })
    for (const event of page) {
      if (event.type === "PersonalDataForgotten") digests.add(erasures.codec.decode(event).slipDigest)
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = last.position
  }
  for (const digest of digests) {
    const { state } = yield* load(erasures, streamOf.erasure(digest))
    yield* destroyKeys(digest, state.jobIds)
  }
  return digests.size
})

/** The person who is shown personal data, the subject of the data, and the command that shows it. */
export type Disclosure = Omit<RecordReveal, "_tag" | "revealId" | "at">

/** Records a disclosure of personal data. Show nothing before it succeeds. */
export const recordDisclosure = Effect.fn("recordDisclosure")(function* (disclosure: Disclosure, operation: Operation) {
  const revealId = (yield* Identifiers).random()
  const context = yield* contextOf(operation)
  const command: RecordReveal = { _tag: "RecordReveal", revealId, ...disclosure, at: isoTime(context.at) }
  yield* handleCommand(disclosures, streamOf.disclosure(revealId), command, context)
})
