import { Clock, Effect } from "effect"
import { quotaMonth } from "../../domain/time.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { branchRows, serviceRows } from "../../projections/models/branches.ts"
import { quotaModel, quotaSets } from "../../projections/models/quota.ts"
import { hourKeys, INSTALLATION, statisticsModel } from "../../projections/models/statistics.ts"

/** How far back branches are searched. */
const ACTIVE_MILLIS = 7 * 86_400_000

/** Hours of branches that are read, newest first. */
const MOST_HOURS = 1_000

/** Branches that are read, so that a page costs the same with any number of them. */
const MOST_BRANCHES = 100

const CONCURRENT_READS = 10

/**
 * The ids of the branches with a verification or a callback in the last seven days, those with the newest hour first; at most
 * 100. They come from the hours that the read model `statistics` counts.
 */
export const activeBranches = Effect.gen(function* () {
  yield* whenReady(statisticsModel)
  const now = yield* Clock.currentTimeMillis
  const keys = yield* hourKeys.names({ from: now - ACTIVE_MILLIS, reverse: true, limit: MOST_HOURS })
  const ids = keys.map((key) => key.slice(0, key.lastIndexOf(":"))).filter((scope) => scope !== INSTALLATION)
  return [...new Set(ids)].slice(0, MOST_BRANCHES)
})

export interface UsedUpQuota {
  readonly branchId: string
  /** The names of the branch and its service. */
  readonly name: string
  readonly serviceName: string
  readonly quota: number
}

/** Those of some branches that have no quota left in this month. */
export const usedUpQuotas = Effect.fn("usedUpQuotas")(function* (branchIds: ReadonlyArray<string>) {
  yield* whenReady(quotaModel)
  const month = quotaMonth(yield* Clock.currentTimeMillis)
  const found = yield* Effect.forEach(
    branchIds,
    Effect.fnUntraced(function* (branchId) {
      const row = yield* branchRows.get(branchId)
      if (row === undefined || !row.active || row.quota === null) return []
      const used = yield* quotaSets.month(branchId, month).count()
      if (used < row.quota) return []
      const service = yield* serviceRows.get(row.serviceId)
      return [
        { branchId, name: row.name, serviceName: service?.name ?? "", quota: row.quota } satisfies UsedUpQuota
      ]
    }),
    { concurrency: CONCURRENT_READS }
  )
  return found.flat()
})
