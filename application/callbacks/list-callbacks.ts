import { Effect, Schema } from "effect"
import { callbackHost } from "../../domain/callback.ts"
import { attemptKey, attemptRows, callbackSets, callbacksModel } from "../../projections/models/callbacks.ts"
import { parseLaneMember } from "../../projections/engine/lane-member.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { type CallbackView, viewCallback } from "../jobs/job-view.ts"
import { anyJob } from "../jobs/load-job.ts"
import { pageOfAll, type PageQuery } from "../../projections/engine/page.ts"
import { withoutQuery } from "./without-query.ts"

/** Where a callback stands that somebody wants. */
export const CallbackStanding = Schema.Literals(["pending", "delivered", "rejected", "abandoned"])
export type CallbackStanding = typeof CallbackStanding.Type

/** Which callbacks to list; `host` as `callbackHost` gives it. */
export interface CallbacksAsked extends PageQuery {
  /** All of them without one. */
  readonly state: CallbackStanding | undefined
  readonly host: string | undefined
}

/** A callback as operators see it. Times are ISO 8601, UTC; the URL has no query, which may be a secret. */
export interface CallbackItem extends CallbackView {
  readonly jobId: string
  readonly branchId: string
  readonly host: string
  readonly url: string
  /** When it was sent the last time. */
  readonly lastAttemptAt: string | null
  /** Why the last attempt failed; null when it did not, or was never made. */
  readonly lastReason: string | null
}

/**
 * Callbacks of all branches, pending ones by when they are due, the others by when they ended. The read model says which;
 * each is told as the log has it, and left out when that has moved on to another state: a page may have fewer than
 * `limit` although there is a next one.
 */
export const callbackList = Effect.fn("callbackList")(function* ({ host, state, ...page }: CallbacksAsked) {
  yield* whenReady(callbacksModel)
  const sets = (state === undefined ? CallbackStanding.literals : [state]).map((one) => setOf(one, host))
  const { items, nextCursor } = yield* pageOfAll(sets, page)
  const found = yield* Effect.forEach(items, (member) => itemOf(parseLaneMember(member).jobId), {
    concurrency: AT_A_TIME
  })
  const wanted = found.filter((item) => item !== undefined).filter((item) =>
    state === undefined || item.state === state
  )
  return { items: wanted, nextCursor }
})

/** Callbacks looked at at a time. */
const AT_A_TIME = 10

const setOf = (state: CallbackStanding, host: string | undefined) => {
  if (state === "pending") return host === undefined ? callbackSets.due : callbackSets.dueAt(host)
  return host === undefined ? callbackSets.ended(state) : callbackSets.endedAt(state, host)
}

const itemOf = Effect.fnUntraced(function* (jobId: string) {
  const job = yield* anyJob(jobId)
  const url = job?.enqueued.callbackUrl
  if (job === undefined || url === null || url === undefined) return undefined
  const callback = yield* viewCallback(job)
  const last = yield* attemptRows.get(attemptKey(jobId, callback.attempts))
  const item: CallbackItem = {
    jobId,
    branchId: job.enqueued.branchId,
    host: callbackHost(url),
    ...callback,
    url: withoutQuery(url),
    lastAttemptAt: last?.at ?? null,
    lastReason: last?.reason ?? null
  }
  return item
})
