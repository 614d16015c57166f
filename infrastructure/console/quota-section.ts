import { Clock, Effect } from "effect"
import { quotaModel, quotaSets } from "../../projections/models/quota.ts"
import type { Member } from "../../ports/read-models.ts"
import type { BranchView } from "../../application/provisioning/directory.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { quotaMonth, slipTime } from "../../domain/time.ts"
import { markup, raw } from "../http/html.ts"
import { table } from "./parts.ts"
import { quotaPlot } from "./quota-plot.ts"
import { monthName } from "./time-view.ts"
import type { Visit } from "./page-context.ts"

/** Months that are there to choose from, the latest. */
const MOST_MONTHS = 12

/** Charges that are read at a time: a branch may have a million of them in a month. */
const PAGE = 5_000

/** How many were charged on each day of a month (`yyyy-MM`), from its first to its last; `times` in milliseconds. */
export const perDay = (month: string, times: ReadonlyArray<number>): ReadonlyArray<number> => {
  const [year = 0, number = 1] = month.split("-").map(Number)
  const days = Array.from({ length: new Date(Date.UTC(year, number, 0)).getUTCDate() }, () => 0)
  for (const time of times) {
    // A charge belongs to the month of its job, and may have come a little later.
    const written = slipTime(time)
    const index = written.startsWith(month) ? Number(written.slice(8, 10)) - 1 : days.length - 1
    days[index] = (days[index] ?? 0) + 1
  }
  return days
}

const chargedPerDay = Effect.fnUntraced(function* (branchId: string, month: string) {
  let days = perDay(month, [])
  let last: Member | undefined
  while (true) {
    const range = last === undefined ? { limit: PAGE } : { after: last, limit: PAGE }
    const page = yield* quotaSets.month(branchId, month).members(range)
    const more = perDay(month, page.map(({ score }) => score))
    days = days.map((count, index) => count + (more[index] ?? 0))
    last = page.at(-1)
    if (page.length < PAGE) return days
    // Embedded engines work synchronously: between two pages others have their turn.
    yield* Effect.yieldNow
  }
})

/** How much of its quota a branch used in a month, day by day. */
export const quotaSection = Effect.fnUntraced(function* ({ path, query, words }: Visit, { id, quota }: BranchView) {
  yield* whenReady(quotaModel)
  const now = yield* Clock.currentTimeMillis
  const current = quotaMonth(now)
  const asked = query.get("month") ?? ""
  const month = /^\d{4}-(?:0[1-9]|1[0-2])$/u.test(asked) ? asked : current
  const all = yield* chargedPerDay(id, month)
  const known = yield* quotaSets.months(id).names()
  const months = [...new Set([...known, current])].sort().slice(-MOST_MONTHS)

  const { branch } = words
  // Of a month that is under way, what is to come is no use of nothing.
  const days = month === current ? all.slice(0, Number(slipTime(now).slice(8, 10))) : all
  let sum = 0
  const rows = days.map((count, index) => [String(index + 1), String(count), String(sum += count)])
  return markup`<section class="card" aria-labelledby="quota"><h2 id="quota">${branch.quota}</h2>
<p class="row months">${
    months.map((one) =>
      markup`<a class="button" href="${path}?month=${one}"${raw(one === month ? ' aria-current="true"' : "")}>${
        monthName(words, one)
      }</a>`
    )
  }</p><p class="big">${branch.used(sum, quota)}</p>${
    quotaPlot(words, monthName(words, month), { days, ofMonth: all.length, quota })
  }<details><summary>${branch.table}</summary>${
    table(branch.plot(monthName(words, month)), [branch.day, branch.charged, branch.sum], rows)
  }</details></section>`
})
