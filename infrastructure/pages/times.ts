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

/** The hour and minute of a time (ISO 8601) in Bangkok. */
export const timeOfDay = (iso: string): Html =>
  markup`<time datetime="${iso}">${
    formatOf("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(iso))
  }</time>`

/** A day (`yyyy-MM-dd`) in Bangkok with its weekday. */
export const dayView = ({ locale }: { readonly locale: string }, day: string): Html =>
  markup`<time datetime="${day}">${
    formatOf(locale, { ...dayFormat, weekday: "long" }).format(new Date(`${day}T12:00:00+07:00`))
  }</time>`

const SECOND = 1_000
const spans = [["day", 86_400 * SECOND], ["hour", 3_600 * SECOND], ["minute", 60 * SECOND]] as const

/** How long ago a time was, such as "3 minutes ago". `now` is in milliseconds since 1970. */
export const relativeTime = ({ locale }: { readonly locale: string }, iso: string, now: number): string => {
  const passed = Date.parse(iso) - now
  const [unit, millis] = spans.find(([, span]) => Math.abs(passed) >= span) ?? ["second", SECOND] as const
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(Math.trunc(passed / millis), unit)
}
