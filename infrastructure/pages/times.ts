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
