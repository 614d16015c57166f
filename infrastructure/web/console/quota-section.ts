import { Clock, Effect } from "effect"
import type { BranchView } from "../../../application/views/provisioning.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { bangkokDay, fromBangkok, quotaMonth } from "../../../domain/time.ts"
import type { ScoreRange } from "../../../ports/read-models.ts"
import { whenReady } from "../../../projections/engine/readiness.ts"
import { quotaModel, quotaSets } from "../../../projections/models/quota.ts"
import { facts, type Html, markup, raw, table } from "../pages/html.ts"
import { useBar } from "../pages/small-plots.ts"
import { monthName } from "../pages/times.ts"
import type { Messages } from "./messages.ts"
import { type PageContext, pathTo } from "./page-context.ts"

/** The latest months that can be selected. */
const MAX_MONTHS = 12

/**
 * The days of a month (`yyyy-MM`) in Bangkok, as times in milliseconds since 1970. The last one has no end: a charge belongs to
 * the month of its job, which may end in the next month.
 */
export const daysOfMonth = (month: string): ReadonlyArray<ScoreRange> => {
  const [year = 0, number = 1] = month.split("-").map(Number)
  const startOf = (day: number) => fromBangkok(year, number, day, 0, 0, 0)
  const last = new Date(Date.UTC(year, number, 0)).getUTCDate()
  return Array.from({ length: last }, (_, index) => {
    const [from, next] = [startOf(index + 1), startOf(index + 2)]
    return { ...from === undefined ? {} : { from }, ...next === undefined ? {} : { to: next - 1 } }
  })
}

/** The read model counts: a branch may have a million charges in a month. */
const readChargesPerDay = (branchId: string, month: string) =>
  Effect.forEach(daysOfMonth(month), (day) =>
    // Embedded read models are synchronous: other requests run between two days.
    Effect.andThen(Effect.yieldNow, quotaSets.month(branchId, month).count(day)))

const PLOT_HEIGHT = 150
/** Space above the bars, for the label of the quota. */
const PLOT_TOP = 18
/** Space below the bars, for the days. */
const PLOT_BOTTOM = 20

/** A quota of more than this many times the use is not drawn: the bars would be too small. */
const MAX_QUOTA_RATIO = 5

interface MonthOfUse {
  readonly month: string
  /** Charges on each day until now. */
  readonly days: ReadonlyArray<number>
  readonly daysInMonth: number
  readonly quota: number | null
}

/** A bar for each day: the use until that day, with the day's own part on top. A line marks the quota. */
const quotaPlot = ({ branch }: Messages, { days, daysInMonth, month, quota }: MonthOfUse): Html => {
  const total = days.reduce((sum, count) => sum + count, 0)
  const hasLine = quota !== null && quota > 0 && quota <= Math.max(1, total) * MAX_QUOTA_RATIO
  const max = Math.max(1, total, hasLine ? quota : 0)
  const floor = PLOT_TOP + PLOT_HEIGHT
  const yOf = (count: number): number => floor - (count / max) * PLOT_HEIGHT
  const rect = (kind: string, x: string, width: string, bottom: number, top: number): Html =>
    markup`<rect class="${kind}" x="${x}" width="${width}" y="${top.toFixed(1)}" height="${
      (bottom - top).toFixed(1)
    }"/>`
  const dayWidth = 100 / daysInMonth
  let sum = 0
  const bars = days.map((count, index) => {
    const before = sum
    sum += count
    const x = `${((index + 0.12) * dayWidth).toFixed(2)}%`
    const width = `${(dayWidth * 0.76).toFixed(2)}%`
    return markup`<g><title>${branch.perDay(index + 1, count, sum)}</title>${
      rect("before", x, width, floor, yOf(before))
    }${rect("day", x, width, yOf(before), yOf(sum))}</g>`
  })
  const line = hasLine
    ? markup`<line class="limit" x1="0" x2="100%" y1="${yOf(quota).toFixed(1)}" y2="${yOf(quota).toFixed(1)}"/>
<text x="100%" y="${(yOf(quota) - 5).toFixed(1)}" text-anchor="end">${branch.limit} ${quota}</text>`
    : undefined
  const labels = [1, 10, 20, daysInMonth].map((day) =>
    markup`<text x="${((day - 0.5) * dayWidth).toFixed(2)}%" y="${floor + 15}" text-anchor="middle">${day}</text>`
  )
  return markup`<svg class="plot" width="100%" height="${floor + PLOT_BOTTOM}" role="img" aria-label="${
    branch.plot(month)
  }"><line class="axis" x1="0" x2="100%" y1="${floor}" y2="${floor}"/>${bars}${line}${labels}</svg>`
}

/** The use of a branch's quota in a month, per day. */
export const quotaSection = Effect.fnUntraced(function* (context: PageContext, { id, quota }: BranchView) {
  const { messages, path, query } = context
  yield* whenReady(quotaModel)
  const now = yield* Clock.currentTimeMillis
  const currentMonth = quotaMonth(now)
  const requested = query.get("month") ?? ""
  const month = /^\d{4}-(?:0[1-9]|1[0-2])$/u.test(requested) ? requested : currentMonth
  const daysOfMonth = yield* readChargesPerDay(id, month)
  const usedMonths = yield* quotaSets.months(id).names()
  const months = [...new Set([...usedMonths, currentMonth])].sort().slice(-MAX_MONTHS)

  const { branch } = messages
  // Later days of the current month are left out: a use of 0 would be wrong.
  const days = month === currentMonth ? daysOfMonth.slice(0, Number(bangkokDay(now).slice(8))) : daysOfMonth
  let sum = 0
  const rows = days.map((count, index) => [String(index + 1), String(count), String(sum += count)])
  const name = monthName(messages, month)
  const choices = months.map((choice) =>
    markup`<a class="button" href="${path}?month=${choice}"${raw(choice === month ? ' aria-current="true"' : "")}>${
      monthName(messages, choice)
    }</a>`
  )
  return markup`<section class="card" aria-labelledby="quota"><h2 id="quota">${branch.quota}</h2>
<p class="row months">${choices}</p><p class="big">${branch.used(sum, quota)}</p>${
    quota === null ? undefined : useBar(branch.used(sum, quota), sum, quota)
  }${
    quotaPlot(messages, { month: name, days, daysInMonth: daysOfMonth.length, quota })
  }<details><summary>${branch.table}</summary>${
    table(branch.plot(name), [branch.day, branch.charged, branch.sum], rows)
  }</details></section>`
})

/** Branches of a service whose use is shown. */
const MOST_BRANCHES = 50

/** The use of the quotas of a service's branches in the current month, a bar for each. Nothing without a quota. */
export const quotasSection = Effect.fnUntraced(function* ({ messages }: PageContext, serviceId: string) {
  yield* whenReady(quotaModel)
  const { branch } = messages
  const month = quotaMonth(yield* Clock.currentTimeMillis)
  const branches = yield* (yield* Directory).branchesOf(serviceId)
  const rows = yield* Effect.forEach(
    branches.filter(({ quota }) => quota !== null).slice(0, MOST_BRANCHES),
    ({ id, name, quota }) =>
      Effect.map(quotaSets.month(id, month).count(), (used) => {
        const text = branch.used(used, quota)
        return [
          markup`<a href="${pathTo("branches", id)}">${name}</a>`,
          markup`${text}${useBar(`${name}: ${text}`, used, quota ?? 0)}`
        ] as const
      })
  )
  return rows.length === 0
    ? undefined
    : markup`<section class="card" aria-labelledby="quotas"><h2 id="quotas">${
      branch.quotas(monthName(messages, month))
    }</h2>${facts(rows)}</section>`
})
