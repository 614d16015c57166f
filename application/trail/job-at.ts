import { Effect } from "effect"
import { SLICE } from "../events/handle-command.ts"
import { callbackView, jobStatus } from "../jobs/job-view.ts"
import type { AcceptedJob } from "../jobs/load-job.ts"
import type { JobAt } from "../views/trail.ts"
import { historyOf } from "./trail-sources.ts"
import { withoutQuery } from "../../domain/callback.ts"
import { fold } from "../../domain/decider.ts"
import { callbacks, jobs, streamOf } from "../../domain/events/aggregates.ts"
import type { JobEvent } from "../../domain/job.ts"

const lastFailureOf = (events: ReadonlyArray<JobEvent>): JobAt["lastFailure"] => {
  const failed = events.findLast((event) => event._tag === "VerificationAttemptFailed")
  return failed === undefined ? null : { at: failed.at, code: failed.code, why: failed.why }
}

const isCharged = ({ enqueued, state: { ended } }: AcceptedJob): boolean =>
  ended === null ? enqueued.charged : ended._tag === "JobSucceeded" && ended.charged

/** The state of a callback, read in slices: each redelivery adds events. */
const callbackAt = Effect.fnUntraced(function* (stream: string, at: number) {
  let state = callbacks.decider.initialState
  for (let from = 0;; from += SLICE) {
    const events = yield* historyOf(stream, at, { from, limit: SLICE })
    state = fold(callbacks.decider, events.map(callbacks.codec.decode), state)
    if (events.length < SLICE) return state
    yield* Effect.yieldNow
  }
})

/** The job at a time in milliseconds; undefined when it was not accepted yet. */
export const jobAt = Effect.fnUntraced(function* (jobId: string, at: number) {
  const events = (yield* historyOf(streamOf.job(jobId), at)).map(jobs.codec.decode)
  const state = fold(jobs.decider, events)
  const { attempts, ended, enqueued, nextAttemptAt } = state
  if (enqueued === null) return undefined
  const accepted: AcceptedJob = { enqueued, state }
  const callback = callbackView(accepted, yield* callbackAt(streamOf.callback(jobId), at))
  return {
    kind: "job",
    jobId,
    batchId: enqueued.batchId,
    branchId: enqueued.branchId,
    acceptedAt: enqueued.at,
    status: jobStatus(state),
    attempts,
    nextAttemptAt,
    endedAt: ended?.at ?? null,
    charged: isCharged(accepted),
    isDuplicate: ended?._tag === "JobSucceeded" ? ended.isDuplicate : null,
    lastFailure: lastFailureOf(events),
    callback: { ...callback, url: callback.url === null ? null : withoutQuery(callback.url) }
  } satisfies JobAt
})
