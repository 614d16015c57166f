import { Effect } from "effect"
import type { Member } from "../../ports/read-models.ts"
import { afterCursor, pageOf, pageOfAll, type PageQuery } from "../../projections/engine/page.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import {
  attemptKey,
  attemptRows,
  callbackSets,
  callbacksModel,
  type DeliveryOutcome
} from "../../projections/models/callbacks.ts"

/** Which deliveries of a branch to list; `jobId` in lower case. */
export interface DeliveriesAsked extends PageQuery {
  readonly branchId: string
  readonly jobId: string | undefined
  readonly status: DeliveryOutcome | undefined
}

const setOf = ({ branchId, status }: DeliveriesAsked) =>
  status === undefined ? callbackSets.deliveries(branchId) : callbackSets.deliveriesWith(branchId, status)

/** The attempts of one job are numbered without gaps: they are looked up one by one, and their score is the number. */
const ofJob = Effect.fnUntraced(function* (asked: DeliveriesAsked, jobId: string) {
  const found: Array<Member> = []
  for (let attempt = (afterCursor(asked.cursor).after?.score ?? 0) + 1; found.length <= asked.limit; attempt++) {
    const member = attemptKey(jobId, attempt)
    if ((yield* attemptRows.get(member)) === undefined) break
    // The set is the branch's: another branch's job is an empty list.
    if (yield* setOf(asked).has(member)) found.push({ member, score: attempt })
  }
  return pageOf(found, asked.limit)
})

/**
 * The attempts to deliver a branch's callbacks, the oldest first (docs/spec/http.md, "GET /v2/webhook/deliveries"): of
 * all its jobs by when they were sent, with a status by when that was known, of one job by their number.
 */
export const deliveries = Effect.fn("deliveries")(function* (asked: DeliveriesAsked) {
  yield* whenReady(callbacksModel)
  const { items, nextCursor } = asked.jobId === undefined
    ? yield* pageOfAll([setOf(asked)], asked)
    : yield* ofJob(asked, asked.jobId)
  const rows = yield* Effect.forEach(items, (key) => attemptRows.get(key))
  return {
    items: rows.filter((row) => row !== undefined).map(({ outcome, status, ...row }) => ({
      ...row,
      status: outcome,
      httpStatus: status
    })),
    nextCursor
  }
})
