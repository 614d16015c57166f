import { Effect } from "effect"
import { viewCallback } from "../jobs/job-view.ts"
import type { CallbackItem } from "../views/job.ts"
import { anyJob, findJob } from "../jobs/load-job.ts"
import { load } from "../events/handle-command.ts"
import { callbackHost, CallbackListState, withoutQuery } from "../../domain/callback.ts"
import { callbacks, streamOf } from "../../domain/events/aggregates.ts"
import type { Member } from "../../ports/read-models.ts"
import { parseLaneMember } from "../../projections/engine/lane-member.ts"
import { afterCursor, pageOf, pageOfAll, type PageQuery, readItems } from "../../projections/engine/page.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { attemptKey, attemptRows, callbackSets, callbacksModel } from "../../projections/models/callbacks.ts"
import type { DeliveryOutcome } from "../../domain/callback.ts"

/** Which callbacks to list; `host` as `callbackHost` returns it. */
export interface CallbacksQuery extends PageQuery {
  /** Undefined lists all states. */
  readonly state: CallbackListState | undefined
  readonly host: string | undefined
}

/**
 * Callbacks of all branches: pending ones by due time, the others by end, within the retention. The read model selects them, and
 * their state comes from the log. A callback whose state has changed meanwhile is left out. So a page may have fewer than
 * `limit` items although there is a next page.
 */
export const listCallbacks = Effect.fn("listCallbacks")(function* ({ host, state, ...page }: CallbacksQuery) {
  yield* whenReady(callbacksModel)
  const sets = (state === undefined ? CallbackListState.literals : [state]).map((each) => setOf(each, host))
  const { items, nextCursor } = yield* pageOfAll(sets, page)
  const found = yield* readItems(items, (member) => itemOf(parseLaneMember(member).jobId))
  return { items: found.filter((item) => state === undefined || item.state === state), nextCursor }
})

const setOf = (state: CallbackListState, host: string | undefined) => {
  if (state === "pending") return host === undefined ? callbackSets.due : callbackSets.dueAt(host)
  return host === undefined ? callbackSets.ended(state) : callbackSets.endedAt(state, host)
}

const itemOf = Effect.fnUntraced(function* (jobId: string) {
  const job = yield* anyJob(jobId)
  const url = job?.enqueued.callbackUrl
  if (job === undefined || url === null || url === undefined) return undefined
  const callback = yield* viewCallback(job)
  const last = yield* attemptRows.get(attemptKey(jobId, callback.attempts))
  return {
    jobId,
    branchId: job.enqueued.branchId,
    host: callbackHost(url),
    ...callback,
    url: withoutQuery(url),
    lastAttemptAt: last?.at ?? null,
    lastReason: last?.reason ?? null
  } satisfies CallbackItem
})

/** Which deliveries of a branch to list; `jobId` in lower case. */
export interface DeliveriesQuery extends PageQuery {
  readonly branchId: string
  readonly jobId: string | undefined
  readonly status: DeliveryOutcome | undefined
}

const deliverySet = ({ branchId, status }: DeliveriesQuery) =>
  status === undefined ? callbackSets.deliveries(branchId) : callbackSets.deliveriesWith(branchId, status)

const isSentWithin = (key: string, { from = -Infinity, to = Infinity }: PageQuery) =>
  Effect.map(attemptRows.get(key), (row) => {
    const at = row === undefined ? NaN : Date.parse(row.at)
    return from <= at && at <= to
  })

/**
 * The attempts of one job, by number, which is also their score. Old attempts may have left the read model. The job of
 * another branch has none, after the same reads as a job that does not exist.
 */
const deliveriesOfJob = Effect.fnUntraced(function* (query: DeliveriesQuery, jobId: string) {
  if ((yield* findJob(jobId, query.branchId)) === undefined) return pageOf([], query.limit)
  const { state: { attempts } } = yield* load(callbacks, streamOf.callback(jobId))
  const isNewestFirst = query.order === "newest"
  const step = isNewestFirst ? -1 : 1
  const last = afterCursor(query.cursor).after?.score ?? (isNewestFirst ? attempts + 1 : 0)
  const found: Array<Member> = []
  for (let attempt = last + step; attempt >= 1 && attempt <= attempts && found.length <= query.limit; attempt += step) {
    const member = attemptKey(jobId, attempt)
    if (!(yield* deliverySet(query).has(member))) continue
    if (yield* isSentWithin(member, query)) found.push({ member, score: attempt })
  }
  return pageOf(found, query.limit)
})

/**
 * The delivery attempts of a branch's callbacks (docs/spec/http.md, "GET /v2/webhook/deliveries"). They are ordered by
 * the time of sending; with a status, by the time of the outcome; of one job, by number.
 */
export const listDeliveries = Effect.fn("listDeliveries")(function* (query: DeliveriesQuery) {
  yield* whenReady(callbacksModel)
  const { items, nextCursor } = query.jobId === undefined
    ? yield* pageOfAll([deliverySet(query)], query)
    : yield* deliveriesOfJob(query, query.jobId)
  const rows = yield* readItems(items, (key) => attemptRows.get(key))
  return {
    items: rows.map(({ outcome, status, ...row }) => ({ ...row, status: outcome, httpStatus: status })),
    nextCursor
  }
})
