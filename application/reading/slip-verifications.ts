import { Effect } from "effect"
import { slips, verifications } from "../../domain/events/aggregates.ts"
import type { Member } from "../../ports/read-models.ts"
import { EventStore } from "../../ports/event-store.ts"
import { failuresOfSlip, laterHolders, streamsOfSlip } from "../../projections/models/duplicates.ts"
import { jobSets } from "../../projections/models/jobs.ts"
import { withBranch } from "../../projections/models/operator-index.ts"
import { entryOfSlip, verificationSets } from "../../projections/models/verifications.ts"
import { anyJob } from "../jobs/load-job.ts"
import { CONCURRENT_READS } from "./verification-item.ts"

/** Services, branches and jobs of one slip that are looked at: of the services any so many, of the others the newest. */
const MOST_OF_SLIP = 50

const newest = { reverse: true, limit: MOST_OF_SLIP } as const

/** The first verification of a slip in a service, and the branches that verified it there. */
const inService = Effect.fnUntraced(function* (stream: string) {
  const { readStream } = yield* EventStore
  const [first] = (yield* readStream(stream, { limit: 1 })).map(slips.codec.decode)
  if (first === undefined) return { first: [], branchIds: [] }
  const others = yield* laterHolders(stream).names(newest)
  return { first: [withBranch(entryOfSlip(first), first.branchId)], branchIds: [first.branchId, ...others] }
})

const branchOfFailure = Effect.fnUntraced(function* (stream: string) {
  const { readStream } = yield* EventStore
  return (yield* readStream(stream, { limit: 1 })).map(verifications.codec.decode).map(({ branchId }) => branchId)
})

/** What all branches did with a slip. */
export interface OfSlip {
  /** Members as in `operatorSets.recent`, the newest first. */
  readonly members: ReadonlyArray<Member>
  /** Jobs that read the slip and have not ended. */
  readonly pendingJobs: ReadonlyArray<string>
}

/**
 * The latest verifications of a slip by all branches, with any outcome: at most `MOST_OF_SLIP` of a branch. No set has all
 * of them, so the branches are found first.
 */
export const verificationsOfSlip = Effect.fnUntraced(function* (digest: string) {
  const options = { concurrency: CONCURRENT_READS }
  const services = yield* Effect.forEach(yield* streamsOfSlip(digest, MOST_OF_SLIP), inService, options)
  const failed = yield* Effect.forEach(yield* failuresOfSlip(digest).names(newest), branchOfFailure, options)
  const jobs = yield* Effect.forEach(yield* jobSets.ofSlip(digest).names(newest), anyJob, options)
  const ofJobs = jobs.filter((job) => job !== undefined)
  const branchIds = new Set([
    ...services.flatMap((service) => service.branchIds),
    ...failed.flat(),
    ...ofJobs.map(({ enqueued }) => enqueued.branchId)
  ])
  const further = yield* Effect.forEach(
    branchIds,
    (branchId) =>
      Effect.map(
        verificationSets.ofSlip(branchId, digest).members(newest),
        (members) => members.map((member) => withBranch(member, branchId))
      ),
    options
  )
  const members = [...services.flatMap(({ first }) => first), ...further.flat()]
  return {
    members: members.sort((one, other) => other.score - one.score || (one.member > other.member ? -1 : 1)),
    pendingJobs: ofJobs.filter(({ state }) => state.ended === null).map(({ enqueued }) => enqueued.jobId)
  } satisfies OfSlip
})
