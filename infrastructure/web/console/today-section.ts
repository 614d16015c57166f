import { Clock, Effect } from "effect"
import { statistics } from "../../../application/reading/statistics.ts"
import type { Counts, Period } from "../../../application/views/statistics.ts"
import { bangkokDay, isoTime } from "../../../domain/time.ts"
import { type Content, type Html, markup } from "../pages/html.ts"
import { change, count, duration } from "../pages/numbers.ts"
import { sparkline } from "../pages/small-plots.ts"
import { clockTime } from "../pages/times.ts"
import type { Messages } from "./messages.ts"
import { statisticsPlots } from "./statistics-plots.ts"

const HOUR_MILLIS = 3_600_000
const DAY_MILLIS = 24 * HOUR_MILLIS

/** The complete hours of today, and the same hours of yesterday. Undefined in the first hour of a day. */
interface Comparison {
  /** The end of the hours; ISO 8601, UTC. */
  readonly until: string
  readonly today: Counts
  readonly yesterday: Counts
}

const compareDays = Effect.fnUntraced(function* (midnight: number, now: number) {
  const end = now - (now % HOUR_MILLIS)
  if (end === midnight) return undefined
  const until = (to: number, from: number) =>
    Effect.map(statistics({ from, to: to - 1, interval: "day" }), ({ total }) => total)
  return {
    until: isoTime(end),
    today: yield* until(end, midnight),
    yesterday: yield* until(end - DAY_MILLIS, midnight - DAY_MILLIS)
  } satisfies Comparison
})

interface Figure {
  readonly label: string
  /** Null without data. */
  readonly of: (counts: Counts) => number | null
  readonly format: (value: number) => string
}

const figuresOf = (messages: Messages): ReadonlyArray<Figure> => {
  const { common, statistics } = messages
  const whole = (value: number) => count(messages, value)
  return [
    { label: statistics.verified, of: ({ verified }) => verified, format: whole },
    { label: statistics.duplicates, of: ({ duplicates }) => duplicates, format: whole },
    { label: statistics.failed, of: ({ failed }) => failed, format: whole },
    {
      label: `${statistics.amount} (${common.baht})`,
      of: ({ amount }) => Math.round(amount),
      format: whole
    },
    { label: statistics.p95, of: ({ p95Millis }) => p95Millis, format: (value) => duration(messages, value) }
  ]
}

/** How a figure of the complete hours differs from that of yesterday. */
const changeOf = (messages: Messages, { format, of }: Figure, comparison: Comparison | undefined): string => {
  const { statistics } = messages
  if (comparison === undefined) return statistics.firstHour
  const until = clockTime(messages, comparison.until)
  const [today, yesterday] = [of(comparison.today), of(comparison.yesterday)]
  if (yesterday === null) return statistics.noneYesterday(until)
  if (yesterday === 0 || today === null) return statistics.yesterday(format(yesterday), until)
  return today === yesterday ? statistics.same(until) : statistics.change(change(messages, yesterday, today), until)
}

const tile = (
  messages: Messages,
  figure: Figure,
  { comparison, hours, total }: {
    readonly comparison: Comparison | undefined
    readonly hours: ReadonlyArray<Period>
    readonly total: Counts
  }
): Html => {
  const { statistics } = messages
  const values = hours.map(figure.of)
  const highest = values.reduce<number>((max, value) => Math.max(max, value ?? 0), 0)
  const now = figure.of(total)
  return markup`<li><span class="label">${figure.label}</span><span class="number">${
    now === null ? "–" : figure.format(now)
  }</span><span class="soft">${changeOf(messages, figure, comparison)}</span>${
    sparkline(statistics.spark(figure.label, figure.format(highest)), values)
  }</li>`
}

/** Today's figures, each with the last 24 hours, and the plots of these hours. */
export const todaySection = Effect.fnUntraced(function* (messages: Messages) {
  const now = yield* Clock.currentTimeMillis
  const midnight = Date.parse(`${bangkokDay(now)}T00:00:00+07:00`)
  const { total } = yield* statistics({ from: midnight, to: now, interval: "day" })
  const { items: hours } = yield* statistics({ from: now - 23 * HOUR_MILLIS, to: now, interval: "hour" })
  const comparison = yield* compareDays(midnight, now)
  const tiles: Content = figuresOf(messages).map((figure) => tile(messages, figure, { comparison, hours, total }))
  return {
    tiles: markup`<ul class="tiles today">${tiles}</ul>`,
    plots: statisticsPlots(messages, hours, { id: "day", interval: "hour" })
  }
})

/** The last seven days of a service or of one branch. */
export const weekSection = Effect.fnUntraced(function* (
  messages: Messages,
  scope: { readonly serviceId: string } | { readonly branchId: string }
) {
  const now = yield* Clock.currentTimeMillis
  const midnight = Date.parse(`${bangkokDay(now)}T00:00:00+07:00`)
  const { items } = yield* statistics({ ...scope, from: midnight - 6 * DAY_MILLIS, to: now, interval: "day" })
  return markup`<section class="card" aria-labelledby="week"><h2 id="week">${messages.statistics.week}</h2>${
    statisticsPlots(messages, items, { id: "week", interval: "day" })
  }</section>`
})
