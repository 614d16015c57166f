import { Effect } from "effect"
import { endCodes } from "../../domain/failed-verification.ts"
import { quotaMonth } from "../../domain/time.ts"
import type { ScoreRange } from "../../ports/read-models.ts"
import type { Order } from "../../domain/order.ts"
import type { UsageOfDay } from "../views/verification.ts"
import { readItems } from "../../projections/engine/page.ts"
import type { MemberSet } from "../../projections/engine/read-model.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { quotaModel, quotaSets } from "../../projections/models/quota.ts"
import {
  isDuplicateClass,
  isSuccessClass,
  type VerificationClass,
  verificationClasses,
  verificationSets,
  verificationsModel
} from "../../projections/models/verifications.ts"

/** A day in Bangkok. */
export interface UsageDay {
  /** `yyyy-MM-dd`. */
  readonly day: string
  /** Its first millisecond since 1970. */
  readonly from: number
}

export interface UsageQuery {
  readonly branchId: string
  /** Oldest first. */
  readonly days: ReadonlyArray<UsageDay>
  readonly order: Order
}

const DAY_MILLIS = 86_400_000
const CONCURRENT_READS = 10

const rangeOf = ({ from }: UsageDay): ScoreRange => ({ from, to: from + DAY_MILLIS - 1 })

/** A job holds a unit of the month in which it was accepted, and may be verified in the next one. */
const monthsOf = ({ day, from }: UsageDay): ReadonlyArray<string> => {
  const dayOfMonth = Number(day.slice(-2))
  return [quotaMonth(from), quotaMonth(from - dayOfMonth * DAY_MILLIS)]
}

const sum = (counts: ReadonlyArray<number>): number => counts.reduce((total, count) => total + count, 0)

const countIn = (sets: ReadonlyArray<MemberSet>, day: UsageDay) =>
  Effect.map(Effect.forEach(sets, (set) => set.count(rangeOf(day)), { concurrency: CONCURRENT_READS }), sum)

/**
 * What a branch verified on each of some days (docs/spec/http.md, "GET /v2/usage"). The read models count, so a day costs
 * the same however busy it was.
 */
export const usage = Effect.fn("usage")(function* ({ branchId, days, order }: UsageQuery) {
  yield* whenReady(verificationsModel)
  yield* whenReady(quotaModel)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return []
  const whole = { from: first.from, to: last.from + DAY_MILLIS - 1 }
  const used = yield* Effect.filter(
    verificationClasses,
    (each) => Effect.map(verificationSets.ofClass(branchId, each).count(whole), (count) => count > 0),
    { concurrency: CONCURRENT_READS }
  )
  const countDay = Effect.fnUntraced(function* (day: UsageDay) {
    const count = (classes: ReadonlyArray<VerificationClass>) =>
      countIn(classes.map((each) => verificationSets.ofClass(branchId, each)), day)
    const failures: Record<string, number> = {}
    for (const code of endCodes) {
      const failed = used.includes(code) ? yield* count([code]) : 0
      if (failed > 0) failures[code] = failed
    }
    const successes = used.filter(isSuccessClass)
    return {
      day: day.day,
      verified: yield* count(successes.filter((each) => !isDuplicateClass(each))),
      duplicates: yield* count(successes.filter(isDuplicateClass)),
      failures,
      charged: yield* countIn(monthsOf(day).map((month) => quotaSets.month(branchId, month)), day)
    } satisfies UsageOfDay
  })
  const counted = yield* readItems(days, countDay)
  return order === "newest" ? counted.toReversed() : counted
})
