/** Asia/Bangkok is UTC+7 all year and has been since 1920: banks, slips and quota months live in it. */
const OFFSET_MILLIS = 7 * 3_600_000

const inBangkok = (epochMillis: number): string => new Date(epochMillis + OFFSET_MILLIS).toISOString()

/** The date and time in Bangkok, `yyyy-MM-ddTHH:mm:ss.SSS`, without an offset. */
export const bangkokDateTime = (epochMillis: number): string => inBangkok(epochMillis).slice(0, -1)

/** The calendar day in Bangkok, `yyyy-MM-dd`. */
export const bangkokDay = (epochMillis: number): string => inBangkok(epochMillis).slice(0, 10)

/** ISO 8601 in UTC, to the millisecond. */
export const isoTime = (epochMillis: number): string => new Date(epochMillis).toISOString()

/** The calendar month of a moment, `yyyy-MM` (docs/spec/http.md, "Months for quota"). */
export const quotaMonth = (epochMillis: number): string => inBangkok(epochMillis).slice(0, 7)

/** ISO 8601 to the second, with the offset +07:00, as slip times are written. */
export const slipTime = (epochMillis: number): string => `${inBangkok(epochMillis).slice(0, 19)}+07:00`

/** The same with milliseconds, where there are some. */
export const bangkokTime = (epochMillis: number): string =>
  `${bangkokDateTime(epochMillis).replace(/\.000$/u, "")}+07:00`

/** A Bangkok wall-clock time as milliseconds since 1970; undefined when there is no such day or time. */
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
