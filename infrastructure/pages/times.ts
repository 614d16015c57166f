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

/** A time (ISO 8601) in Bangkok; the tooltip shows it in UTC. `locale` is a tag of BCP 47. */
export const timeView = (
  { locale }: { readonly locale: string },
  iso: string,
  precision: "second" | "millisecond" = "second"
): Html => {
  const at = new Date(iso)
  const format = formatOf(locale, precision === "second" ? secondFormat : millisecondFormat)
  return markup`<time datetime="${iso}" title="${at.toISOString()} (UTC)">${format.format(at)}</time>`
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
