import { Clock, Data, Effect } from "effect"
import { load, type Loaded } from "../events/handle-command.ts"
import { fold } from "../../domain/decider.ts"
import { jobs, streamOf } from "../../domain/events/aggregates.ts"
import { parseId } from "../../domain/ids.ts"
import type { JobEnded, JobState, VerificationEnqueued } from "../../domain/job.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { Origin } from "../../ports/tracing.ts"

/** A job as a worker loads it. */
export interface LoadedJob extends Loaded<JobState> {
  /** The id of the request that enqueued the slip; later events of the job carry the same id. */
  readonly correlationId: string
  /** The last event of the job; undefined when there is none. */
  readonly origin: Origin | undefined
}

export const loadJob = Effect.fnUntraced(function* (jobId: string) {
  const recorded = yield* (yield* EventStore).readStream(streamOf.job(jobId))
  return {
    state: fold(jobs.decider, recorded.map(jobs.codec.decode)),
    revision: recorded.length - 1,
    correlationId: recorded[0]?.metadata.correlationId ?? jobId,
    origin: recorded.at(-1)
  } satisfies LoadedJob
})

/** No such job, or a job of another branch; with `expiredAt`, in milliseconds, a job or batch that has expired. */
export class JobNotFound extends Data.TaggedError("JobNotFound")<{ readonly expiredAt?: number }> {}

/** How long a result can be read after the end of its job. Rule: docs/spec/http.md, "GET job data". */
const RESULT_LIFETIME_MILLIS = 7 * 86_400_000

/** A job that was accepted: its stream has the first event. */
export interface AcceptedJob {
  readonly state: JobState
  readonly enqueued: VerificationEnqueued
}

/** When a job that has ended expires, in milliseconds since 1970. */
export const expiryOf = ({ at }: JobEnded): number => Date.parse(at) + RESULT_LIFETIME_MILLIS

/** Fails when all of these jobs have expired. */
export const refuseExpired = Effect.fnUntraced(function* (jobs: ReadonlyArray<AcceptedJob>) {
  const expiredAt = Math.max(...jobs.map(({ state: { ended } }) => ended === null ? Infinity : expiryOf(ended)))
  if (expiredAt <= (yield* Clock.currentTimeMillis)) return yield* new JobNotFound({ expiredAt })
})

/** Reads a job of any branch from the log, also one that has expired; undefined when there is no such job. */
export const anyJob = Effect.fnUntraced(function* (jobId: string) {
  const { state } = yield* load(jobs, streamOf.job(jobId))
  const { enqueued } = state
  return enqueued === null ? undefined : { state, enqueued } satisfies AcceptedJob
})

/** As `anyJob`; undefined for a job of another branch. */
export const findJob = Effect.fnUntraced(function* (jobId: string, branchId: string) {
  const job = yield* anyJob(jobId)
  return job?.enqueued.branchId === branchId ? job : undefined
})

/** A job that the branch may see. `id` is the text that the caller sent. */
export const visibleJob = Effect.fnUntraced(function* (id: string, branchId: string) {
  const jobId = parseId(id)
  const job = jobId === undefined ? undefined : yield* findJob(jobId, branchId)
  if (job === undefined) return yield* new JobNotFound({})
  yield* refuseExpired([job])
  return job
})
