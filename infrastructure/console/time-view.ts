import { type Html, markup } from "../http/html.ts"
import type { Words } from "./messages/en.ts"

const formats = new Map<string, Intl.DateTimeFormat>()

/** Making one costs more than a page. */
const formatOf = (locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = `${locale} ${JSON.stringify(options)}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone: "Asia/Bangkok", ...options })
  formats.set(key, known)
  return known
}

const day = { day: "numeric", month: "short", year: "numeric" } as const
const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const

/** A time (ISO 8601) as it is in Bangkok; the exact one in UTC is told to who points at it. */
export const timeView = ({ locale }: Words, iso: string, precision: "second" | "millisecond" = "second"): Html => {
  const at = new Date(iso)
  const options = precision === "second"
    ? { ...day, ...clock }
    : { ...day, ...clock, fractionalSecondDigits: 3 as const }
  return markup`<time datetime="${iso}" title="${at.toISOString()} (UTC)">${
    formatOf(locale, options).format(at)
  }</time>`
}

/** A month (`yyyy-MM`) in words. */
export const monthName = ({ locale }: Words, month: string): string =>
  formatOf(locale, { month: "long", year: "numeric" }).format(new Date(`${month}-15T00:00:00+07:00`))

/** How a field for dates and times writes a moment in Bangkok, to the millisecond. */
export const localTime = (epochMillis: number): string =>
  new Date(epochMillis + 7 * 3_600_000).toISOString().slice(0, -1)
