import { Clock, type Effect } from "effect"
import { ownQuota } from "../../../../application/provisioning/info.ts"
import { usage } from "../../../../application/reading/usage.ts"
import { bangkokDay, quotaMonth } from "../../../../domain/time.ts"
import { usageDays } from "../../input/verification-queries.ts"
import { type Content, type Html, markup } from "../../pages/html.ts"
import { stackedBars } from "../../pages/plots.ts"
import { useBar } from "../../pages/small-plots.ts"
import { monthName } from "../../pages/times.ts"
import { tabs } from "../../pages/frame.ts"
import { settingsSubpage } from "../components.ts"
import { scoped, type ShopContext } from "../page-context.ts"

const PATH = "/app/settings/usage"

/** Months that can be chosen, this one included. */
const MONTHS = 6

/** The months up to the current one (`yyyy-MM`), the newest first. */
const monthsUntil = (current: string): ReadonlyArray<string> => {
  const [year = 0, month = 1] = current.split("-").map(Number)
  return Array.from(
    { length: MONTHS },
    (_, index) => new Date(Date.UTC(year, month - 1 - index, 1)).toISOString().slice(0, 7)
  )
}

const lastDayOf = (month: string): string => {
  const [year = 0, number = 1] = month.split("-").map(Number)
  return `${month}-${String(new Date(Date.UTC(year, number, 0)).getUTCDate()).padStart(2, "0")}`
}

const quotaCard = (
  { messages: { settings: { usage: text } } }: ShopContext,
  { max, remaining, used }: Effect.Success<ReturnType<typeof ownQuota>>
): Html => {
  const about = text.used(used, max)
  const rest: Content = remaining === null
    ? undefined
    : markup`<p>${remaining === 0 ? text.none : text.left(remaining)}</p>`
  return markup`<section class="card"><p class="sum-line">${about}</p>${
    max === null ? undefined : useBar(about, used, max)
  }${rest}</section>`
}

/** The use of the quota in this month, and what was checked on each day of a month. */
export const usagePage = scoped("configure", function* (context) {
  const { caller: { branchId }, messages, query } = context
  const { settings } = messages
  const { usage: text } = settings
  const quota = quotaCard(context, yield* ownQuota(context.caller))
  const now = yield* Clock.currentTimeMillis
  const current = quotaMonth(now)
  const months = monthsUntil(current)
  const month = months.find((one) => one === query.get("month")) ?? current
  const to = month === current ? bangkokDay(now) : lastDayOf(month)
  const days = yield* usage({ branchId, days: yield* usageDays({ from: `${month}-01`, to }, now), order: "oldest" })
  const name = monthName(messages, month)
  const plot = stackedBars({
    id: "usage",
    title: `${text.plot}: ${name}`,
    description: text.about(name),
    points: days.map(({ day }, index) => {
      const number = String(Number(day.slice(-2)))
      return { name: number, ...(index % 7 === 0 ? { tick: number } : {}) }
    }),
    series: [
      { name: text.verified, values: days.map(({ verified }) => verified) },
      { name: text.duplicates, values: days.map(({ duplicates }) => duplicates) },
      {
        name: text.failed,
        values: days.map(({ failures }) => Object.values(failures).reduce((sum, count) => sum + count, 0))
      }
    ],
    columns: [{ name: text.charged, cells: days.map(({ charged }) => charged) }],
    format: (value) => value.toLocaleString("en-US"),
    texts: { point: text.day, table: text.table, empty: text.empty }
  })
  const choices = months.map((one) =>
    [monthName(messages, one), one === current ? PATH : `${PATH}?month=${one}`, one === month] as const
  )
  return settingsSubpage(context, {
    title: text.title,
    content: markup`${quota}<section class="card"><h2>${text.plot}</h2>${tabs(text.month, choices)}${plot}</section>`
  })
})
