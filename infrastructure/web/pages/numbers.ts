/** A locale, as a tag of BCP 47, and the units of durations. */
export interface NumberTexts {
  readonly locale: string
  readonly units: { readonly millis: string; readonly seconds: string }
}

const formats = new Map<string, Intl.NumberFormat>()

const formatOf = (locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat => {
  const key = `${locale} ${JSON.stringify(options)}`
  const cached = formats.get(key) ?? new Intl.NumberFormat(locale, options)
  formats.set(key, cached)
  return cached
}

/** A number with separators, such as `12,345`. */
export const count = ({ locale }: NumberTexts, value: number): string => formatOf(locale, {}).format(value)

/** A number in a few characters, such as `12.3K`. */
export const shortCount = ({ locale }: NumberTexts, value: number): string =>
  value < 10_000 ? formatOf(locale, {}).format(value) : formatOf(locale, { notation: "compact" }).format(value)

/** An amount of money with two decimals, without its currency. */
export const money = ({ locale }: NumberTexts, baht: number): string =>
  formatOf(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(baht)

/** A duration: milliseconds up to a second, and seconds with one decimal from there on. */
export const duration = ({ locale, units }: NumberTexts, millis: number): string =>
  millis < 1_000
    ? `${formatOf(locale, { maximumFractionDigits: 0 }).format(millis)} ${units.millis}`
    : `${formatOf(locale, { maximumFractionDigits: 1 }).format(millis / 1_000)} ${units.seconds}`

/** The change from one number to another in percent with its sign, such as `+12 %`. */
export const change = ({ locale }: NumberTexts, from: number, to: number): string =>
  `${formatOf(locale, { maximumFractionDigits: 0, signDisplay: "exceptZero" }).format(((to - from) / from) * 100)} %`
