import { Effect, Schema } from "effect"
import {
  attemptKey,
  AttemptRow,
  callbacksModel,
  callbacksSets,
  callbacksTables,
  type DeliveryOutcome
} from "../../projections/models/callbacks-rows.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { type Member, ReadModels } from "../../ports/read-models.ts"
import { Readiness } from "../../projections/engine/readiness.ts"
import { behind, pageOf } from "../../projections/engine/page.ts"

/** Which deliveries of a branch to list; `jobId` in lower case, `cursor` one that an earlier page gave. */
export interface DeliveriesAsked {
  readonly branchId: string
  readonly jobId: string | undefined
  readonly status: DeliveryOutcome | undefined
  readonly cursor: string | undefined
  readonly limit: number
}

const model = modelName(callbacksModel)
const decodeRow = Schema.decodeUnknownSync(AttemptRow)

const rowOf = Effect.fnUntraced(function* (key: string) {
  const row = yield* (yield* ReadModels).get(model, callbacksTables.attempts, key)
  return row === undefined ? undefined : decodeRow(row)
})

const setOf = ({ branchId, status }: DeliveriesAsked): string =>
  status === undefined ? callbacksSets.deliveries(branchId) : callbacksSets.deliveriesWith(branchId, status)

/** The attempts of one job are numbered without gaps: they are looked up one by one, and their score is the number. */
const ofJob = Effect.fnUntraced(function* (asked: DeliveriesAsked, jobId: string) {
  const models = yield* ReadModels
  const found: Array<Member> = []
  for (let attempt = (behind(asked.cursor).after?.score ?? 0) + 1; found.length <= asked.limit; attempt++) {
    const member = attemptKey(jobId, attempt)
    if ((yield* rowOf(member)) === undefined) break
    // The set is the branch's: another branch's job is an empty list.
    if (yield* models.has(model, setOf(asked), member)) found.push({ member, score: attempt })
  }
  return found
})

const ofBranch = Effect.fnUntraced(function* (asked: DeliveriesAsked) {
  const range = { ...behind(asked.cursor), limit: asked.limit + 1 }
  return yield* (yield* ReadModels).members(model, setOf(asked), range)
})

/**
 * The attempts to deliver a branch's callbacks, the oldest first (docs/spec/http.md, "GET /v2/webhook/deliveries"): of
 * all its jobs by when they were sent, with a status by when that was known, of one job by their number.
 */
export const deliveries = Effect.fn("deliveries")(function* (asked: DeliveriesAsked) {
  yield* (yield* Readiness).of(model)
  const members = asked.jobId === undefined ? yield* ofBranch(asked) : yield* ofJob(asked, asked.jobId)
  const { items, nextCursor } = pageOf(members, asked.limit)
  const rows = yield* Effect.forEach(items, ({ member }) => rowOf(member))
  return {
    items: rows.filter((row) => row !== undefined).map(({ outcome, status, ...row }) => ({
      ...row,
      status: outcome,
      httpStatus: status
    })),
    nextCursor
  }
})
