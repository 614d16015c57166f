import { bangkokDay } from "../../../domain/time.ts"
import { type Html, markup } from "./html.ts"

/** All pages show the time of Bangkok. */
export const TIME_ZONE = "Asia/Bangkok"

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formatters are cached: making one costs more than rendering a page. */
const formatOf = (locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = `${locale} ${JSON.stringify(options)}`
  const cached = formats.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone: TIME_ZONE, ...options })
  formats.set(key, cached)
  return cached
}

const dayFormat = { day: "numeric", month: "short", year: "numeric" } as const
const secondFormat = { ...dayFormat, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const
const millisecondFormat = { ...secondFormat, fractionalSecondDigits: 3 } as const

/** How a page shows times. */
export interface TimeContext {
  /** A tag of BCP 47. */
  readonly locale: string
  /** When the page was requested, in milliseconds since 1970. Without it a page shows no relative times. */
  readonly now?: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Times that are further away have a date that says more than their distance. */
const MAX_RELATIVE = 30 * DAY

const relativeFormats = new Map<string, Intl.RelativeTimeFormat>()

/**
 * The distance of a time from `now`, such as `3 minutes ago`; undefined for a distant time. Both in milliseconds. From 24
 * hours on it counts calendar days, because the words for one day and two name such days: `yesterday`.
 */
export const relativeTime = (locale: string, at: number, now: number): string | undefined => {
  const distance = at - now
  const length = Math.abs(distance)
  if (length > MAX_RELATIVE) return undefined
  const format = relativeFormats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: "auto" })
  relativeFormats.set(locale, format)
  if (length < MINUTE) return format.format(Math.trunc(distance / SECOND), "second")
  if (length < HOUR) return format.format(Math.trunc(distance / MINUTE), "minute")
  if (length < DAY) return format.format(Math.trunc(distance / HOUR), "hour")
  return format.format((Date.parse(bangkokDay(at)) - Date.parse(bangkokDay(now))) / DAY, "day")
}

/**
 * A time (ISO 8601) in Bangkok, to the second with its distance from now, or to the millisecond. The tooltip shows it in
 * UTC.
 */
export const timeView = (
  { locale, now }: TimeContext,
  iso: string,
  precision: "second" | "millisecond" = "second"
): Html => {
  const at = new Date(iso)
  const format = formatOf(locale, precision === "second" ? secondFormat : millisecondFormat)
  const distance = now === undefined || precision === "millisecond"
    ? undefined
    : relativeTime(locale, at.getTime(), now)
  return markup`<time datetime="${iso}" title="${at.toISOString()} (UTC)">${format.format(at)}${
    distance === undefined ? undefined : markup` <span class="ago">${distance}</span>`
  }</time>`
}

const units = [["day", DAY], ["hour", HOUR], ["minute", MINUTE], ["second", SECOND]] as const

/** A length of time in milliseconds, in its two largest units, such as `2 min 5 sec`. */
export const durationText = ({ locale }: TimeContext, millis: number): string => {
  const part = (value: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(value)
  const first = units.findIndex(([, length]) => millis >= length)
  if (first === -1) return part(Math.max(0, Math.round(millis)), "millisecond")
  let rest = millis
  return units.slice(first, first + 2).flatMap(([unit, length]) => {
    const count = Math.trunc(rest / length)
    rest -= count * length
    return count === 0 ? [] : [part(count, unit)]
  }).join(" ")
}

/** The name of a month (`yyyy-MM`). */
export const monthName = ({ locale }: { readonly locale: string }, month: string): string =>
  formatOf(locale, { month: "long", year: "numeric" }).format(new Date(`${month}-15T00:00:00+07:00`))

/** A locale, as a tag of BCP 47. */
interface Locale {
  readonly locale: string
}

/** The beginning of an hour (ISO 8601) in Bangkok, such as `21 Nov, 15:00`. */
export const hourName = ({ locale }: Locale, iso: string): string =>
  formatOf(locale, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
    .format(new Date(iso))

/** The time of day in Bangkok, such as `15:00`. */
export const clockTime = ({ locale }: Locale, iso: string): string =>
  formatOf(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(iso))

/** A day in Bangkok, such as `Sat 21 Nov`. */
export const dayName = ({ locale }: Locale, iso: string): string =>
  formatOf(locale, { weekday: "short", day: "numeric", month: "short" }).format(new Date(iso))

/** The day of the week in Bangkok, such as `Sat`. */
export const weekdayName = ({ locale }: Locale, iso: string): string =>
  formatOf(locale, { weekday: "short" }).format(new Date(iso))

/** A day (`yyyy-MM-dd`) in Bangkok with its weekday and year. */
export const dayView = ({ locale }: Locale, day: string): Html =>
  markup`<time datetime="${day}">${
    formatOf(locale, { ...dayFormat, weekday: "long" }).format(new Date(`${day}T12:00:00+07:00`))
  }</time>`
