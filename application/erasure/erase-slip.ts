import { Data, Effect } from "effect"
import { handleCommand, load } from "../events/handle-command.ts"
import { contextOf, handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import {
  digestOfJobAlone,
  slipDigest,
  subjectOfJob,
  subjectOfSlip,
  subjectOfSlipEverywhere
} from "../sealing/sealed-data.ts"
import type { RecordReveal } from "../../domain/disclosure.ts"
import { disclosures, erasures, jobs, streamOf } from "../../domain/events/aggregates.ts"
import { beginning, type Position } from "../../domain/events/recorded-event.ts"
import type { ErasureState } from "../../domain/erasure.ts"
import { isoTime } from "../../domain/time.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { duplicatesModel, failuresOfSlip, streamsOfSlip } from "../../projections/models/duplicates.ts"
import { jobSets, jobsModel } from "../../projections/models/jobs.ts"

/** What to erase: a slip, or a job with the slip that it read. */
export type ErasureSubject =
  | { readonly _tag: "Slip"; readonly sendingBank: string; readonly transRef: string }
  | { readonly _tag: "Job"; readonly jobId: string }

/** The log has no verification and no job of the slip, or no such job. */
export class NothingToErase extends Data.TaggedError("NothingToErase")<{ readonly subject: ErasureSubject["_tag"] }> {}

export interface SlipErasure {
  /** When the erasure was first requested. ISO 8601, UTC. */
  readonly at: string
  /** Jobs whose personal data was erased too. */
  readonly jobIds: ReadonlyArray<string>
}

const CATCH_UP_TIMEOUT_MILLIS = 5_000

const destroyKeys = Effect.fnUntraced(function* (digest: string, { jobIds, serviceIds }: ErasureState) {
  yield* (yield* Vault).erase([
    subjectOfSlipEverywhere(digest),
    ...serviceIds.map((serviceId) => subjectOfSlip(serviceId, digest)),
    ...jobIds.map(subjectOfJob)
  ])
})

/** The service of a stream `slip-{service}-{digest}`. */
const serviceOf = (stream: string, digest: string): string => stream.slice("slip-".length, -`-${digest}`.length)

/** The slip that a job has read. A job without one is recorded under a digest of its own. */
const digestOfSlipOf = Effect.fnUntraced(function* (jobId: string) {
  const recorded = yield* (yield* EventStore).readStream(streamOf.job(jobId))
  if (recorded.length === 0) return yield* new NothingToErase({ subject: "Job" })
  const digests = recorded.map(jobs.codec.decode).flatMap((event) =>
    "slipDigest" in event && event.slipDigest !== null ? [event.slipDigest] : []
  )
  return digests.at(-1) ?? (yield* digestOfJobAlone(jobId))
})

/**
 * Erases the personal data of a slip and its jobs (PDPA): appends the event, then destroys the keys that seal the data
 * in every service that has the slip. A service that verifies it later keeps what it verified until the next erasure.
 * A job that has read no slip is erased alone; if it is pending, it ends without a result.
 *
 * Repeating it completes an erasure that was interrupted. Fails with `NothingToErase`, or with a `VaultError` when
 * there are no keys to destroy.
 */
export const erase = Effect.fn("erase")(function* (
  subject: ErasureSubject,
  reason: string | null,
  ids: RequestIds
) {
  const digest = subject._tag === "Slip"
    ? yield* slipDigest(subject.sendingBank, subject.transRef)
    : yield* digestOfSlipOf(subject.jobId)
  yield* caughtUp([duplicatesModel, jobsModel], CATCH_UP_TIMEOUT_MILLIS)
  const streams = yield* streamsOfSlip(digest)
  const jobIds = [...yield* jobSets.ofSlip(digest).names(), ...subject._tag === "Job" ? [subject.jobId] : []]
  const isKnown = streams.length > 0 || jobIds.length > 0 || (yield* failuresOfSlip(digest).count()) > 0
  if (!isKnown) return yield* new NothingToErase({ subject: subject._tag })
  const context = yield* contextOf(ids)
  const stream = streamOf.erasure(digest)
  const serviceIds = streams.map((name) => serviceOf(name, digest))
  const command = {
    _tag: "EraseSlip",
    slipDigest: digest,
    jobIds,
    serviceIds,
    reason,
    at: isoTime(context.at)
  } as const
  const { after } = yield* handleCommand(erasures, stream, command, context)
  yield* destroyKeys(digest, after)
  const [first] = yield* (yield* EventStore).readStream(stream, { limit: 1 })
  return { at: first?.metadata.at ?? command.at, jobIds: after.jobIds } satisfies SlipErasure
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
    yield* destroyKeys(digest, state)
  }
  return digests.size
})

/** The subject of the data that is shown, and the command that shows it. */
export type Disclosure = Omit<RecordReveal, "_tag" | "revealId" | "by" | "at">

/** Records a disclosure of personal data to the operator. Show nothing before it succeeds. */
export const recordDisclosure = Effect.fn("recordDisclosure")(function* (disclosure: Disclosure, ids: RequestIds) {
  const revealId = (yield* Identifiers).newId()
  const by = ids.actor.operator ?? ids.actor.id
  const record = (at: string): RecordReveal => ({ _tag: "RecordReveal", revealId, by, ...disclosure, at })
  yield* handleOperatorCommand(disclosures, streamOf.disclosure(revealId), record, ids)
})
