import { Effect, Schema } from "effect"
import { BranchNotFound } from "../../domain/branch.ts"
import { percentile } from "../../domain/latency.ts"
import { satang, toBaht } from "../../domain/money.ts"
import { ServiceNotFound } from "../../domain/service.ts"
import { bangkokDay, type Interval, isoTime } from "../../domain/time.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import {
  HOUR_MILLIS,
  type HourCounts,
  hourKey,
  hourOf,
  hourRows,
  INSTALLATION,
  parseHour,
  statisticsModel
} from "../../projections/models/statistics.ts"
import type { Counts, Statistics } from "../views/statistics.ts"
import { Directory } from "../provisioning/directory.ts"

export interface StatisticsQuery {
  /** Milliseconds since 1970. The hours of both are counted as a whole. */
  readonly from: number
  readonly to: number
  readonly interval: Interval
  /** The whole installation without one of these. `branchId` wins. */
  readonly serviceId?: string | undefined
  readonly branchId?: string | undefined
}

/** The service has too many branches for so many hours: ask for less time, or for one branch. */
export class StatisticsTooLarge extends Schema.TaggedError<StatisticsTooLarge>()("StatisticsTooLarge", {}) {}

/** Rows that one query reads. SQLite takes about 5 µs for each. */
const MOST_ROWS = 50_000

/** Embedded read models are synchronous: other requests run between two parts. */
const ROWS_PER_PART = 250

const addTo = <Key>(sums: Map<Key, number>, counts: ReadonlyMap<Key, number>) => {
  for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count)
}

/** The sum of hours. Percentiles come from summed buckets. */
const sumOf = (hours: ReadonlyArray<HourCounts>): Counts => {
  const [failures, latency] = [new Map<string, number>(), new Map<number, number>()]
  let [verified, duplicates, sum] = [0, 0, 0]
  const callbacks = { delivered: 0, failed: 0, rejected: 0 }
  for (const hour of hours) {
    verified += hour.verified
    duplicates += hour.duplicates
    sum += hour.satang
    addTo(failures, hour.failures)
    addTo(latency, hour.latency)
    callbacks.delivered += hour.callbacks.delivered
    callbacks.failed += hour.callbacks.failed
    callbacks.rejected += hour.callbacks.rejected
  }
  return {
    verified,
    duplicates,
    failed: [...failures.values()].reduce((sum, count) => sum + count, 0),
    failures: Object.fromEntries([...failures].sort(([one], [other]) => one < other ? -1 : 1)),
    amount: toBaht(satang(sum)),
    p50Millis: percentile(latency, 0.5),
    p95Millis: percentile(latency, 0.95),
    callbacks
  }
}

/** The rows that a query sums: those of the installation, of a branch, or of all branches of a service. */
const scopesOf = Effect.fnUntraced(function* ({ branchId, serviceId }: StatisticsQuery) {
  if (branchId === undefined && serviceId === undefined) return [INSTALLATION]
  const directory = yield* Directory
  if (branchId !== undefined) {
    const branch = yield* directory.branch(branchId)
    const isOther = serviceId !== undefined && branch?.serviceId !== serviceId
    return branch === undefined || isOther ? yield* new BranchNotFound() : [branchId]
  }
  if ((yield* directory.service(serviceId ?? "")) === undefined) return yield* new ServiceNotFound()
  return (yield* directory.branchesOf(serviceId ?? "")).map(({ id }) => id)
})

/** What was verified in each hour or day, and in all of them (docs/spec/http.md, "Admin API"). */
export const statistics = Effect.fn("statistics")(function* (query: StatisticsQuery) {
  yield* whenReady(statisticsModel)
  const scopes = yield* scopesOf(query)
  const [first, last] = [hourOf(query.from), hourOf(query.to)]
  const hours = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  if (hours.length * scopes.length > MOST_ROWS) return yield* new StatisticsTooLarge()

  const names = hours.flatMap((hour) => scopes.map((scope) => ({ hour, scope })))
  const counted = new Map<number, Array<HourCounts>>(hours.map((hour) => [hour, []]))
  for (let at = 0; at < names.length; at += ROWS_PER_PART) {
    const part = names.slice(at, at + ROWS_PER_PART)
    const rows = yield* Effect.forEach(part, ({ hour, scope }) => hourRows.get(hourKey(scope, hour)), {
      concurrency: ROWS_PER_PART
    })
    for (const [index, row] of rows.entries()) {
      if (row !== undefined) counted.get(part[index]?.hour ?? first)?.push(parseHour(row))
    }
    yield* Effect.yieldNow
  }

  const periods = new Map<string | number, { readonly from: number; readonly hours: Array<HourCounts> }>()
  for (const [hour, found] of counted) {
    const from = hour * HOUR_MILLIS
    const name = query.interval === "hour" ? hour : bangkokDay(from)
    const period = periods.get(name) ?? { from, hours: [] }
    period.hours.push(...found)
    periods.set(name, period)
  }
  return {
    total: sumOf([...counted.values()].flat()),
    items: [...periods.values()].map(({ from, hours }) => ({ from: isoTime(from), ...sumOf(hours) }))
  } satisfies Statistics
})
