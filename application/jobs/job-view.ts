import { Effect } from "effect"
import { load } from "../events/handle-command.ts"
import { type AcceptedJob, anyJob, expiryOf, findJob, JobNotFound, refuseExpired, visibleJob } from "./load-job.ts"
import { resultOf } from "./job-result.ts"
import type { CallbackView } from "../views/job.ts"
import type { CallbackState } from "../../domain/callback.ts"
import { callbacks, streamOf } from "../../domain/events/aggregates.ts"
import { batchJobName, parseId } from "../../domain/ids.ts"
import type { JobState, JobStatus } from "../../domain/job.ts"
import { isoTime } from "../../domain/time.ts"
import { Identifiers } from "../../ports/identifiers.ts"

export const jobStatus = ({ ended }: JobState): JobStatus => {
  if (ended === null) return "pending"
  return ended._tag === "JobSucceeded" ? "success" : "not_found"
}

/** The callback of a job from the state of its stream. */
export const callbackView = (
  { enqueued: { callbackUrl: url }, state: { ended } }: AcceptedJob,
  { attempts, deliveredAt, end, lastStatus, nextAttemptAt, scheduled }: CallbackState
): CallbackView => ({
  url,
  state: url === null ? "none" : end ?? "pending",
  attempts,
  lastStatus,
  // The stream is empty before the first attempt, which is due when the job ends.
  nextAttemptAt: url !== null && scheduled === null ? ended?.at ?? null : nextAttemptAt,
  deliveredAt
})

/** The callback of a job, from the log. */
export const viewCallback = Effect.fnUntraced(function* (accepted: AcceptedJob) {
  const { enqueued: { callbackUrl, jobId }, state: { ended } } = accepted
  // Nothing is sent before the job ends.
  const { state } = callbackUrl === null || ended === null
    ? { state: callbacks.decider.initialState }
    : yield* load(callbacks, streamOf.callback(jobId))
  return callbackView(accepted, state)
})

/** A job and its result. They are read from the log, so every process sees a job that was just enqueued. */
export const job = Effect.fn("job")(function* (id: string, branchId: string) {
  const accepted = yield* visibleJob(id, branchId)
  const { enqueued: { at: createdAt, batchId, jobId }, state } = accepted
  const { attempts, ended, nextAttemptAt } = state
  const names = { jobId, batchId }
  const progress = { attempts, nextAttemptAt, callback: yield* viewCallback(accepted) }
  if (ended === null) {
    return { ...names, status: "pending", timestamp: null, createdAt, expiresAt: null, ...progress } as const
  }
  const { timestamp, ...result } = yield* resultOf(ended)
  const times = { timestamp, createdAt, expiresAt: isoTime(expiryOf(ended)) }
  return "data" in result
    ? { ...names, status: "success", ...result, ...times, ...progress } as const
    : { ...names, status: "not_found", ...result, ...times, ...progress } as const
})

/** Streams read at a time. */
const CONCURRENT_READS = 10

/**
 * A batch: its jobs, and the number of jobs in each state. It is read from the log alone, because job ids derive from
 * the batch id and the first job holds the size. A batch is visible until its last job expires. After an interrupted
 * request it shows the jobs that are in the log. Rule: docs/spec/http.md, "GET batch data".
 */
export const batch = Effect.fn("batch")(function* (id: string, branchId: string) {
  const batchId = parseId(id)
  if (batchId === undefined) return yield* new JobNotFound({})
  const { derived } = yield* Identifiers
  const find = (index: number) => findJob(derived(batchJobName(batchId, index)), branchId)

  const first = yield* find(0)
  const size = first?.enqueued.batchSize ?? null
  if (first === undefined || size === null) return yield* new JobNotFound({})
  const others = Array.from({ length: size - 1 }, (_, index) => index + 1)
  const found = [first, ...(yield* Effect.forEach(others, find, { concurrency: CONCURRENT_READS }))]
  const jobs = found.filter((job) => job !== undefined)
  const summaries = found.flatMap((job, index) =>
    job === undefined ? [] : [{ index, jobId: job.enqueued.jobId, status: jobStatus(job.state) }]
  )
  yield* refuseExpired(jobs)
  return {
    batchId,
    size,
    counts: countByStatus(jobs),
    createdAt: first.enqueued.at,
    jobs: summaries
  }
})

const countByStatus = (jobs: ReadonlyArray<AcceptedJob>): Readonly<Record<JobStatus, number>> => {
  const counts = { pending: 0, success: 0, not_found: 0 }
  for (const { state } of jobs) counts[jobStatus(state)]++
  return counts
}

/** The job ids of a batch in order; undefined until all jobs are in the log. */
export const acceptedJobs = Effect.fnUntraced(function* (batchId: string, size: number) {
  const { derived } = yield* Identifiers
  const jobIds = Array.from({ length: size }, (_, index) => derived(batchJobName(batchId, index)))
  const jobs = yield* Effect.forEach(jobIds, anyJob, { concurrency: CONCURRENT_READS })
  return jobs.every((job) => job !== undefined) ? jobIds : undefined
})
