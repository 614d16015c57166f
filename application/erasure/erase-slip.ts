import { Data, Effect } from "effect"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { erasures } from "../../domain/events/aggregates.ts"
import { handleCommand, load } from "../events/handle-command.ts"
import { duplicateSets, duplicatesModel } from "../../projections/models/duplicates.ts"
import { jobSets, jobsModel } from "../../projections/models/jobs.ts"
import { beginning, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Vault } from "../../ports/vault.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { subjectOfJob } from "../sealing/job-sealing.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"
import { slipDigest, subjectOfSlip } from "../sealing/slip-sealing.ts"

/** Nobody has verified, or handed over, such a slip. */
export class SlipNeverSeen extends Data.TaggedError("SlipNeverSeen")<{}> {}

/** What was forgotten. */
export interface Forgotten {
  /** ISO 8601, UTC: when that was first asked for. */
  readonly at: string
  /** Jobs whose personal data went with it. */
  readonly jobIds: ReadonlyArray<string>
}

const PATIENCE_MILLIS = 5_000

/** What the log has of a slip, once the read models are as far as the log is now. */
const whereabouts = Effect.fnUntraced(function* (digest: string) {
  yield* caughtUp([duplicatesModel, jobsModel], PATIENCE_MILLIS)
  return {
    streams: yield* duplicateSets.ofSlip(digest).names(),
    jobIds: yield* jobSets.ofSlip(digest).names()
  }
})

const destroyKeys = Effect.fnUntraced(function* (digest: string, jobIds: ReadonlyArray<string>) {
  yield* (yield* Vault).erase([subjectOfSlip(digest), ...jobIds.map(subjectOfJob)])
})

/**
 * Forgets a slip (PDPA, erasure): writes down that it does, then destroys the keys under which its personal data is
 * sealed, in every service. Once more does what an earlier time may have left undone. Fails with `SlipNeverSeen` for a
 * slip that the log does not know, and with a `VaultError` where there are no keys to destroy.
 */
export const forgetSlip = Effect.fn("forgetSlip")(function* (
  sendingBank: string,
  transRef: string,
  reason: string | null,
  operation: Operation
) {
  const digest = yield* slipDigest(sendingBank, transRef)
  const { jobIds, streams } = yield* whereabouts(digest)
  if (streams.length === 0 && jobIds.length === 0) return yield* new SlipNeverSeen()
  const context = yield* contextOf(operation)
  const stream = streamOf.forgetting(digest)
  const command = { _tag: "Forget", slipDigest: digest, jobIds, reason, at: isoTime(context.at) } as const
  const { after } = yield* handleCommand(erasures, stream, command, context)
  yield* destroyKeys(digest, after.jobIds)
  const [first] = yield* (yield* EventStore).readStream(stream, { limit: 1 })
  const forgotten: Forgotten = { at: first?.metadata.at ?? command.at, jobIds: after.jobIds }
  return forgotten
})

const A_PAGE = 1_000

/**
 * Destroys again the keys of everything that the log says was forgotten, after an older key file was put back. Gives how
 * many slips that were.
 */
export const forgetAgain = Effect.fn("forgetAgain")(function* () {
  const store = yield* EventStore
  const digests = new Set<string>()
  let after: Position = beginning
  for (;;) {
    const page = yield* store.readAll({ after, limit: A_PAGE })
    for (const event of page) {
      if (event.type === "PersonalDataForgotten") digests.add(erasures.codec.decode(event).slipDigest)
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = last.position
  }
  for (const digest of digests) {
    const { state } = yield* load(erasures, streamOf.forgetting(digest))
    yield* destroyKeys(digest, state.jobIds)
  }
  return digests.size
})
