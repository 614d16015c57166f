import { Clock, Effect } from "effect"
import { batchJobName, parseId } from "../../domain/ids.ts"
import type { JobStatus } from "../../projections/models/jobs.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { anyJob, findJob, isExpired, JobNotFound, jobStatus, type OwnJob } from "./job-view.ts"

/** Streams read at a time. */
const AT_A_TIME = 10

const count = (all: ReadonlyArray<OwnJob>): Readonly<Record<JobStatus, number>> => {
  const counts = { pending: 0, success: 0, not_found: 0 }
  for (const { state } of all) counts[jobStatus(state)]++
  return counts
}

/**
 * How far a batch is: how many of its jobs are in which state, and the jobs (docs/spec/http.md, "GET batch data"). The first job
 * tells how many there are, and the ids follow from the batch's: all of it comes from the log. It is there until its
 * last job has expired; what was cut off while it was accepted shows with the jobs that were.
 */
export const batch = Effect.fn("batch")(function* (id: string, branchId: string) {
  const batchId = parseId(id)
  if (batchId === undefined) return yield* new JobNotFound()
  const { derived } = yield* Identifiers
  const find = (index: number) => findJob(derived(batchJobName(batchId, index)), branchId)

  const first = yield* find(0)
  const size = first?.enqueued.batchSize ?? null
  if (first === undefined || size === null) return yield* new JobNotFound()
  const others = Array.from({ length: size - 1 }, (_, index) => index + 1)
  const found = [first, ...(yield* Effect.forEach(others, find, { concurrency: AT_A_TIME }))]
  const all = found.filter((one) => one !== undefined)
  const now = yield* Clock.currentTimeMillis
  if (all.every((one) => isExpired(one, now))) return yield* new JobNotFound()
  return {
    batchId,
    size,
    counts: count(all),
    createdAt: first.enqueued.at,
    jobs: all.map(({ enqueued: { batchIndex: index, jobId }, state }) => ({ index, jobId, status: jobStatus(state) }))
  }
})

/** The ids of a batch's jobs in their order once all of them are accepted; undefined before. */
export const acceptedJobs = Effect.fnUntraced(function* (batchId: string, size: number) {
  const { derived } = yield* Identifiers
  const jobIds = Array.from({ length: size }, (_, index) => derived(batchJobName(batchId, index)))
  const jobs = yield* Effect.forEach(jobIds, anyJob, { concurrency: AT_A_TIME })
  return jobs.every((job) => job !== undefined) ? jobIds : undefined
})
