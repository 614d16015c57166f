import type { Period } from "../../../application/views/statistics.ts"
import { type Html, markup } from "../pages/html.ts"
import { count, duration, money, shortCount } from "../pages/numbers.ts"
import { linePlot, type Plot, type PlotPoint, stackedBars } from "../pages/plots.ts"
import { clockTime, dayName, hourName, weekdayName } from "../pages/times.ts"
import type { Messages } from "./messages.ts"

/** What the periods are, and the id of the plots in the page. */
interface Shown {
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

const commonOf = (messages: Messages, items: ReadonlyArray<Period>, { interval }: Shown) => {
  const { statistics } = messages
  return {
    points: items.map((item) => pointOf(messages, interval, item)),
    texts: { point: statistics[interval], table: statistics.table, empty: statistics.empty }
  }
}

/** Counts that are stacked for each hour or day. `about` says their totals in words. */
const countsPlot = (
  messages: Messages,
  items: ReadonlyArray<Period>,
  shown: Shown,
  { about, series, texts, ...plot }: Pick<Plot, "id" | "title" | "columns" | "series"> & {
    readonly about: (first: string, second: string, third: string) => string
    readonly texts?: Partial<Plot["texts"]>
  }
): Html => {
  const [first = "", second = "", third = ""] = series.map(({ values }) =>
    count(messages, values.reduce<number>((total, value) => total + (value ?? 0), 0))
  )
  const common = commonOf(messages, items, shown)
  return stackedBars({
    ...plot,
    points: common.points,
    description: about(first, second, third),
    series,
    format: (value) => count(messages, value),
    formatAxis: (value) => shortCount(messages, value),
    texts: { ...common.texts, ...texts }
  })
}

/** Verifications by outcome. The table also has their amount. */
const outcomePlot = (messages: Messages, items: ReadonlyArray<Period>, shown: Shown): Html => {
  const { common, statistics } = messages
  return countsPlot(messages, items, shown, {
    id: `${shown.id}-outcomes`,
    title: statistics.outcomes[shown.interval],
    about: statistics.aboutOutcomes,
    series: (["verified", "duplicates", "failed"] as const).map((name) => ({
      name: statistics[name],
      values: items.map((item) => item[name])
    })),
    columns: [{ name: common.baht, cells: items.map(({ amount }) => money(messages, amount)) }]
  })
}

/** How long verifications took: the 95th and the 50th percentile. */
const latencyPlot = (messages: Messages, items: ReadonlyArray<Period>, shown: Shown): Html => {
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

/** Attempts of callbacks by their result. */
const callbackPlot = (messages: Messages, items: ReadonlyArray<Period>, shown: Shown): Html => {
  const { statistics } = messages
  return countsPlot(messages, items, shown, {
    id: `${shown.id}-callbacks`,
    title: statistics.callbacks,
    about: statistics.aboutCallbacks,
    series: (["delivered", "failed", "rejected"] as const).map((result) => ({
      name: statistics.attempts[result],
      values: items.map(({ callbacks }) => callbacks[result])
    })),
    texts: { empty: statistics.noCallbacks }
  })
}

/** The three plots of a page. */
export const statisticsPlots = (messages: Messages, items: ReadonlyArray<Period>, shown: Shown): Html =>
  markup`${outcomePlot(messages, items, shown)}<div class="cards">${latencyPlot(messages, items, shown)}${
    callbackPlot(messages, items, shown)
  }</div>`
