import type { Period } from "../../../application/views/statistics.ts"
import type { Html } from "../pages/html.ts"
import { markup } from "../pages/html.ts"
import { count, duration, money, shortCount } from "../pages/numbers.ts"
import { linePlot, type PlotPoint, stackedBars } from "../pages/plots.ts"
import { clockTime, dayName, hourName, weekdayName } from "../pages/times.ts"
import type { Messages } from "./messages.ts"

/** What the periods are, and the id of the plots in the page. */
export interface Shown {
  readonly id: string
  readonly interval: "hour" | "day"
}

/** Hours of Bangkok with a label below the axis: more have no place on a phone. */
const HOURS_PER_TICK = 6

const pointOf = (messages: Messages, interval: Shown["interval"], { from }: Period): PlotPoint => {
  if (interval === "day") return { name: dayName(messages, from), tick: weekdayName(messages, from) }
  const hour = Number(clockTime(messages, from).slice(0, 2))
  return { name: hourName(messages, from), tick: hour % HOURS_PER_TICK === 0 ? clockTime(messages, from) : undefined }
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const commonOf = (messages: Messages, items: ReadonlyArray<Period>, { interval }: Shown) => {
  const { statistics } = messages
  return {
    points: items.map((item) => pointOf(messages, interval, item)),
    texts: { point: statistics[interval], table: statistics.table, empty: statistics.empty }
  }
}

/** Verifications by outcome, stacked for each hour or day. The table also has their amount. */
export const outcomePlot = (messages: Messages, items: ReadonlyArray<Period>, shown: Shown): Html => {
  const { common, statistics } = messages
  const series = [
    { name: statistics.verified, values: items.map(({ verified }) => verified) },
    { name: statistics.duplicates, values: items.map(({ duplicates }) => duplicates) },
    { name: statistics.failed, values: items.map(({ failed }) => failed) }
  ]
  const totals = series.map(({ values }) => count(messages, sum(values)))
  return stackedBars({
    ...commonOf(messages, items, shown),
    id: `${shown.id}-outcomes`,
    title: statistics.outcomes[shown.interval],
    description: statistics.aboutOutcomes(totals[0] ?? "", totals[1] ?? "", totals[2] ?? ""),
    series,
    format: (value) => count(messages, value),
    formatAxis: (value) => shortCount(messages, value),
    columns: [{ name: common.baht, cells: items.map(({ amount }) => money(messages, amount)) }]
  })
}

/** How long verifications took: the 95th and the 50th percentile. */
export const latencyPlot = (messages: Messages, items: ReadonlyArray<Period>, shown: Shown): Html => {
  const { statistics } = messages
  const common = commonOf(messages, items, shown)
  return linePlot({
    ...common,
    id: `${shown.id}-latency`,
    title: statistics.latency,
    description: statistics.aboutLatency,
    series: [
      { name: "p95", values: items.map(({ p95Millis }) => p95Millis) },
      { name: "p50", values: items.map(({ p50Millis }) => p50Millis) }
    ],
    format: (value) => duration(messages, value),
    texts: { ...common.texts, empty: statistics.noLatency }
  })
}

/** Attempts of callbacks by their result, stacked. */
export const callbackPlot = (messages: Messages, items: ReadonlyArray<Period>, shown: Shown): Html => {
  const { statistics } = messages
  const common = commonOf(messages, items, shown)
  const results = ["delivered", "failed", "rejected"] as const
  const series = results.map((result) => ({
    name: statistics.attempts[result],
    values: items.map(({ callbacks }) => callbacks[result])
  }))
  const totals = series.map(({ values }) => count(messages, sum(values)))
  return stackedBars({
    ...common,
    id: `${shown.id}-callbacks`,
    title: statistics.callbacks,
    description: statistics.aboutCallbacks(totals[0] ?? "", totals[1] ?? "", totals[2] ?? ""),
    series,
    format: (value) => count(messages, value),
    formatAxis: (value) => shortCount(messages, value),
    texts: { ...common.texts, empty: statistics.noCallbacks }
  })
}

/** The three plots of a page. */
export const statisticsPlots = (messages: Messages, items: ReadonlyArray<Period>, shown: Shown): Html =>
  markup`${outcomePlot(messages, items, shown)}<div class="cards">${latencyPlot(messages, items, shown)}${
    callbackPlot(messages, items, shown)
  }</div>`
