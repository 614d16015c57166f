import { Clock, Effect } from "effect"
import { quotaMonth } from "../../domain/time.ts"
import { Quota } from "../../ports/quota.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { quotaModel, quotaSets } from "../../projections/models/quota.ts"
import type { QuotaView } from "../views/provisioning.ts"
import type { Caller } from "./callers.ts"
import { contactOfRow, Directory } from "./directory.ts"

const sum = (left: number, right: number): number => left + right

const sumOf = (left: QuotaView, right: QuotaView): QuotaView => {
  const add = (a: number | null, b: number | null) => a === null || b === null ? null : a + b
  return {
    used: left.used + right.used,
    max: add(left.max, right.max),
    remaining: add(left.remaining, right.remaining),
    totalUsed: left.totalUsed + right.totalUsed
  }
}

const quotaOf = Effect.fnUntraced(function* (branchId: string, max: number | null) {
  const quota = yield* Quota
  const month = quotaMonth(yield* Clock.currentTimeMillis)
  const usage = (months: ReadonlyArray<string>) =>
    quota.usage(months.map((each) => quotaSets.month(branchId, each).set))
  // Waits until every charge in the log is counted: only then are all months known.
  const [used = 0] = yield* usage([month])
  const others = (yield* quotaSets.months(branchId).names()).filter((each) => each !== month)
  const totalUsed = (others.length === 0 ? [] : yield* usage(others)).reduce(sum, used)
  return { used, max, remaining: max === null ? null : Math.max(0, max - used), totalUsed } satisfies QuotaView
})

/** Waits briefly until the charges in the log are counted, so that a caller sees its own. Otherwise the last count serves. */
export const chargesCounted = Effect.ignore(caughtUp([quotaModel]))

/** The quota of the caller's branch and its use, with every charge that was answered before. */
export const ownQuota = ({ branch, branchId }: Caller) =>
  Effect.andThen(chargesCounted, quotaOf(branchId, branch.quota))

/**
 * The service, branch and account of a caller (docs/spec/http.md, "GET /v2/info"). The application's quota is the sum
 * over all its branches.
 */
export const info = Effect.fnUntraced(function* (caller: Caller) {
  const directory = yield* Directory
  const { branch, branchId, service, serviceId } = caller

  const branchQuota = yield* quotaOf(branchId, branch.quota)
  const others = (yield* directory.branchesOf(serviceId)).filter(({ id }) => id !== branchId)
  const used = yield* Effect.forEach(others, ({ id, quota }) => quotaOf(id, quota))
  const { email } = yield* contactOfRow(caller.account.contact, service.accountId)
  return {
    application: {
      id: serviceId,
      name: service.name,
      autoRenew: { expired: false, quota: false } as const,
      quota: used.reduce(sumOf, branchQuota),
      expiresAt: service.expiresAt
    },
    branch: { id: branchId, name: branch.name, isMain: branch.isMain, isActive: branch.active, quota: branchQuota },
    account: { email },
    product: { name: service.plan }
  }
})
