import { Schema } from "effect"
/** Asia/Bangkok is UTC+7 without daylight saving time. Banks, slips and quota months use it. */
const OFFSET_MILLIS = 7 * 3_600_000

const bangkokIso = (epochMillis: number): string => new Date(epochMillis + OFFSET_MILLIS).toISOString()

/** The date and time in Bangkok, `yyyy-MM-ddTHH:mm:ss.SSS`, without an offset. */
export const bangkokDateTime = (epochMillis: number): string => bangkokIso(epochMillis).slice(0, -1)

/** The calendar day in Bangkok, `yyyy-MM-dd`. */
export const bangkokDay = (epochMillis: number): string => bangkokIso(epochMillis).slice(0, 10)

/** ISO 8601 in UTC, to the millisecond. */
export const isoTime = (epochMillis: number): string => new Date(epochMillis).toISOString()

/** The calendar month of a moment, `yyyy-MM` (docs/spec/http.md, "Months for quota"). */
export const quotaMonth = (epochMillis: number): string => bangkokIso(epochMillis).slice(0, 7)

/** ISO 8601 to the second, with the offset +07:00, as slip times are written. */
export const slipTime = (epochMillis: number): string => `${bangkokIso(epochMillis).slice(0, 19)}+07:00`

/** ISO 8601 with the offset +07:00, and with milliseconds when they are not zero. */
export const bangkokTime = (epochMillis: number): string =>
  `${bangkokDateTime(epochMillis).replace(/\.000$/u, "")}+07:00`

/** A date and time in Bangkok as milliseconds since 1970; undefined when the calendar or the clock does not have it. */
export const fromBangkok = (
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number
): number | undefined => {
  const utc = Date.UTC(year, month - 1, day, hour, minute, second)
  const read = new Date(utc)
  const exists = read.getUTCFullYear() === year && read.getUTCMonth() === month - 1 && read.getUTCDate() === day
    && read.getUTCHours() === hour && read.getUTCMinutes() === minute && read.getUTCSeconds() === second
  return exists ? utc - OFFSET_MILLIS : undefined
}

/** A time that a person wrote. */
export interface ParsedTime {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The text has no offset, so it is a time in Bangkok. */
  readonly isBangkok: boolean
}

const WRITTEN = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z|[+ -]\d{2}:\d{2})?)?$/iu

const DAY_MILLIS = 86_400_000
const HOUR_MILLIS = 3_600_000

/** The milliseconds of `Z` or of an offset such as `+07:00`. An unescaped plus sign in a URL arrives as a space. */
const parseOffset = (text: string): number | undefined => {
  if (/^z$/iu.test(text)) return 0
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(4))
  if (hours > 14 || minutes > 59) return undefined
  return (text.startsWith("-") ? -1 : 1) * (hours * HOUR_MILLIS + minutes * 60_000)
}

/**
 * Parses ISO 8601. Without an offset, such as `2026-11-21 15:45`, the text is a time in Bangkok. A day is its first or
 * its last millisecond in Bangkok. Undefined when the text is not a time or the calendar has no such day.
 */
export const parseTimeInBangkok = (text: string, ofDay: "first" | "last"): ParsedTime | undefined => {
  const [, year, month, day, hour, minute, second = "0", fraction = "0", offset] = WRITTEN.exec(text.trim()) ?? []
  const inBangkok = fromBangkok(
    Number(year),
    Number(month),
    Number(day),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second)
  )
  if (inBangkok === undefined) return undefined
  if (hour === undefined) return { at: ofDay === "first" ? inBangkok : inBangkok + DAY_MILLIS - 1, isBangkok: true }
  const at = inBangkok + Number(fraction.padEnd(3, "0"))
  if (offset === undefined) return { at, isBangkok: true }
  const offsetMillis = parseOffset(offset)
  return offsetMillis === undefined ? undefined : { at: at + OFFSET_MILLIS - offsetMillis, isBangkok: false }
}

/** The length of a period: an hour, or a day in Bangkok. */
export const Interval = Schema.Literals(["hour", "day"])

export type Interval = typeof Interval.Type
