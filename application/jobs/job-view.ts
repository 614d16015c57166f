import { Clock, Data, Effect } from "effect"
import type { CallbackState } from "../../domain/callback.ts"
import type { JobEnded, JobState, VerificationEnqueued } from "../../domain/job.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { callbacks, jobs } from "../../domain/events/aggregates.ts"
import { readJobResult } from "../sealing/job-sealing.ts"
import { recordedVerification, viewVerification } from "../verification/verification-view.ts"
import { type FailureMessageCode, failureMessages } from "../verification/failures.ts"
import { load } from "../events/handle-command.ts"
import { parseId } from "../../domain/ids.ts"
import type { JobStatus } from "../../projections/models/jobs.ts"
import { verifyBankData } from "../verification/verification-view.ts"

/** There is no such job, or it is another branch's, or its result was there for long enough. */
export class JobNotFound extends Data.TaggedError("JobNotFound")<{}> {}

/** How long a job can be looked at after its end (docs/spec/http.md, "GET job data"). */
const KEPT_MILLIS = 7 * 86_400_000

/** What was done to tell the result (docs/spec/http.md, "GET job data"). Times are ISO 8601, UTC. */
export interface CallbackView {
  readonly url: string | null
  /** `none` when nobody is to be called back. */
  readonly state: "none" | "pending" | "delivered" | "rejected" | "abandoned"
  readonly attempts: number
  /** The HTTP status of the last answer; null when there was none. */
  readonly lastStatus: number | null
  /** Null as long as the job has not ended, while an attempt is under way, and at the end. */
  readonly nextAttemptAt: string | null
  readonly deliveredAt: string | null
}

export interface OwnJob {
  readonly state: JobState
  readonly enqueued: VerificationEnqueued
}

export const jobStatus = ({ ended }: JobState): JobStatus => {
  if (ended === null) return "pending"
  return ended._tag === "JobSucceeded" ? "success" : "not_found"
}

/** When a job is no longer to be seen; null as long as it has not ended. */
export const expiryOf = ({ ended }: JobState): number | null =>
  ended === null ? null : Date.parse(ended.at) + KEPT_MILLIS

/** A job as the log has it this very moment, whosever it is; it may have expired. */
export const anyJob = Effect.fnUntraced(function* (jobId: string) {
  const { state } = yield* load(jobs, streamOf.job(jobId))
  const { enqueued } = state
  return enqueued === null ? undefined : { state, enqueued } satisfies OwnJob
})

/** The same if it is this branch's. */
export const findJob = Effect.fnUntraced(function* (jobId: string, branchId: string) {
  const found = yield* anyJob(jobId)
  return found?.enqueued.branchId === branchId ? found : undefined
})

export const isExpired = ({ state }: OwnJob, now: number): boolean => (expiryOf(state) ?? Infinity) <= now

/** A job that its branch may look at; `id` as the caller wrote it. */
export const ownJob = Effect.fnUntraced(function* (id: string, branchId: string) {
  const jobId = parseId(id)
  const own = jobId === undefined ? undefined : yield* findJob(jobId, branchId)
  if (own === undefined || isExpired(own, yield* Clock.currentTimeMillis)) return yield* new JobNotFound()
  return own
})

/** How a job's callback looks in a state of its stream. */
export const callbackView = (
  { enqueued: { callbackUrl: url }, state: { ended } }: OwnJob,
  { attempts, deliveredAt, end, lastStatus, nextAttemptAt, scheduled }: CallbackState
): CallbackView => ({
  url,
  state: url === null ? "none" : end ?? "pending",
  attempts,
  lastStatus,
  // Before the first attempt nothing is written down: it is due as soon as the job has ended.
  nextAttemptAt: url !== null && scheduled === null ? ended?.at ?? null : nextAttemptAt,
  deliveredAt
})

/** The callback of a job as the log has it. */
export const viewCallback = Effect.fnUntraced(function* (own: OwnJob) {
  const { enqueued: { callbackUrl, jobId }, state: { ended } } = own
  // Nothing is sent before the end.
  const { state } = callbackUrl === null || ended === null
    ? { state: callbacks.decider.initialState }
    : yield* load(callbacks, streamOf.callback(jobId))
  return callbackView(own, state)
})

const isMessageCode = (code: string): code is FailureMessageCode => Object.hasOwn(failureMessages, code)

/** What is left of a result that was forgotten: the verdict, which names nobody, or why there is none. */
const afterForgetting = Effect.fnUntraced(function* (ended: JobEnded) {
  const { at: timestamp, jobId } = ended
  if (ended._tag === "JobNotFound") {
    const code = isMessageCode(ended.code) ? ended.code : "SLIP_NOT_FOUND"
    return { error: { code, message: failureMessages[code] }, timestamp }
  }
  const placed = yield* recordedVerification(streamOf.slip(ended.serviceId, ended.slipDigest), jobId)
  if (placed === undefined) return yield* Effect.die(`the slip of job ${jobId} has no verification of it`)
  return { data: verifyBankData(yield* viewVerification(placed)), timestamp }
})

/** What a job has come to, as its callback says it. */
const resultOf = Effect.fnUntraced(function* (ended: JobEnded) {
  return (yield* readJobResult(ended.result)) ?? (yield* afterForgetting(ended))
})

/**
 * A job and its result (docs/spec/http.md, "GET job data"). It is read from the log, so what was just accepted is there
 * in every process, whether or not a projector runs.
 */
export const job = Effect.fn("job")(function* (id: string, branchId: string) {
  const own = yield* ownJob(id, branchId)
  const { enqueued: { at: createdAt, batchId, jobId }, state } = own
  const { attempts, ended, nextAttemptAt } = state
  const result = ended === null ? undefined : yield* resultOf(ended)
  const expiresAt = expiryOf(state)
  return {
    jobId,
    batchId,
    status: jobStatus(state),
    ...(result?.data === undefined ? {} : { data: result.data }),
    ...(result?.error === undefined ? {} : { error: result.error }),
    timestamp: result?.timestamp ?? null,
    createdAt,
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    attempts,
    nextAttemptAt,
    callback: yield* viewCallback(own)
  }
})
