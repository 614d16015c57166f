import { fromBangkok, slipTime } from "../time.ts"

const digits = (text: string, ...widths: ReadonlyArray<number>): ReadonlyArray<number> => {
  let at = 0
  return widths.map((width) => Number(text.slice(at, at += width)))
}

/** Bangkok Bank: yyyyMMddHHmmss, then more digits. */
const ofBangkokBank = (transRef: string): number | undefined => {
  if (!/^\d{14}/u.test(transRef)) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits(transRef, 4, 2, 2, 2, 2, 2)
  return fromBangkok(year, month, day, hour, minute, second)
}

const DAY_MILLIS = 86_400_000

/** The moment on the nth day of a year in Bangkok; undefined when the year has no such day. */
const onDayOfYear = (year: number, day: number, hour: number, minute: number, second: number): number | undefined => {
  const date = new Date(Date.UTC(year, 0, day))
  return date.getUTCFullYear() === year
    ? fromBangkok(year, date.getUTCMonth() + 1, date.getUTCDate(), hour, minute, second)
    : undefined
}

/**
 * KBank: 01, last digit of the year, day of the year, HHmmss, then letters and digits. The year is the latest one that
 * has this day and is not in the future, with a tolerance of one day because clocks differ.
 */
const ofKasikornbank = (transRef: string, now: number): number | undefined => {
  if (!/^01\d{10}/u.test(transRef)) return undefined
  const [yearDigit = 0, day = 0, hour = 0, minute = 0, second = 0] = digits(transRef.slice(2), 1, 3, 2, 2, 2)
  const latest = now + DAY_MILLIS
  const thisYear = Number(slipTime(latest).slice(0, 4))
  const year = thisYear - (thisYear - yearDigit) % 10
  return [year, year - 10]
    .map((candidate) => onDayOfYear(candidate, day, hour, minute, second))
    .find((time) => time !== undefined && time <= latest)
}

/** When a transfer was made, as far as its reference says: between two moments, in milliseconds since 1970. */
export interface TransferSpan {
  readonly earliest: number
  readonly latest: number
}

const HOUR_MILLIS = 3_600_000

/** A span that begins at a moment; undefined when the calendar does not have the moment. */
const spanFrom = (earliest: number | undefined, lengthMillis: number): TransferSpan | undefined =>
  earliest === undefined ? undefined : { earliest, latest: earliest + lengthMillis - 1 }

/** The Christian years of a four-digit year, which may be of the Buddhist era: 2569 is 2026. */
const yearsOf = (year: number): ReadonlyArray<number> => [year, year - BUDDHIST_YEARS]
const BUDDHIST_YEARS = 543

/** The Christian years, the latest first, of which `digit` is the last one in either era; none is after `latest`. */
const yearsEndingIn = (digit: number, latest: number): ReadonlyArray<number> => {
  const thisYear = Number(slipTime(latest).slice(0, 4))
  return Array.from({ length: 20 }, (_, ago) => thisYear - ago)
    .filter((year) => yearsOf(year + BUDDHIST_YEARS).some((written) => written % 10 === digit))
}

/** Last digit of the year, day of the year, and the hour where `hasHour`. */
const onYearDigit = (text: string, hasHour: boolean, latest: number): ReadonlyArray<TransferSpan | undefined> => {
  const [yearDigit = 0, day = 0, hour = 0] = digits(text, 1, 3, hasHour ? 2 : 0)
  const length = hasHour ? HOUR_MILLIS : DAY_MILLIS
  return yearsEndingIn(yearDigit, latest).map((year) => spanFrom(onDayOfYear(year, day, hour, 0, 0), length))
}

/** yyyyMMdd, and the hour where `hasHour`. */
const onDate = (text: string, hasHour: boolean): ReadonlyArray<TransferSpan | undefined> => {
  const [year = 0, month = 0, day = 0, hour = 0] = digits(text, 4, 2, 2, hasHour ? 2 : 0)
  const length = hasHour ? HOUR_MILLIS : DAY_MILLIS
  return yearsOf(year).map((each) => spanFrom(fromBangkok(each, month, day, hour, 0, 0), length))
}

/** TTB: yyMMddHHmmss or yyyyMMddHH. */
const ofTtb = (text: string): ReadonlyArray<TransferSpan | undefined> => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits(text, 2, 2, 2, 2, 2, 2)
  const exact = [2000, 2500 - BUDDHIST_YEARS].map((century) =>
    spanFrom(fromBangkok(century + year, month, day, hour, minute, second), 1)
  )
  return [...exact, ...onDate(text, true)]
}

interface SpanForm {
  readonly bank: string
  /** Its first group begins with the time. */
  readonly pattern: RegExp
  /** The spans that the group can stand for. `latest` is the end of those that count. */
  readonly spans: (text: string, latest: number) => ReadonlyArray<TransferSpan | undefined>
}

const byHour = (text: string, latest: number) => onYearDigit(text, true, latest)

/** References that hold a day, an hour or a second (docs/banks.md, "Times in references"). */
const spanForms: ReadonlyArray<SpanForm> = [
  { bank: "004", pattern: /^04(\d{4}[0-9A-Za-z]{14})$/u, spans: (text, latest) => onYearDigit(text, false, latest) },
  { bank: "006", pattern: /^C(\d{8})[0-9A-Za-z]{12}$/u, spans: (text) => onDate(text, false) },
  { bank: "011", pattern: /^(\d{18})$/u, spans: ofTtb },
  { bank: "014", pattern: /^(\d{8})[0-9A-Za-z]{17}$/u, spans: (text) => onDate(text, false) },
  { bank: "030", pattern: /^(\d{6})\d{6}[A-Za-z]\d{6}[A-Za-z]\d{4}$/u, spans: byHour },
  { bank: "034", pattern: /^MTI[0-9A-Za-z]{10}(\d{6})\d{6}$/u, spans: byHour },
  { bank: "069", pattern: /^(\d{6})\d{6}$/u, spans: byHour }
]

/**
 * The time of the transfer (milliseconds since 1970), as some banks encode it in the reference (docs/banks.md,
 * "Times in references"). It is a hint: only the bank's answer counts.
 */
export const transferTimeHint = (sendingBank: string, transRef: string, now: number): number | undefined => {
  switch (sendingBank) {
    case "002":
      return ofBangkokBank(transRef)
    case "004":
      return ofKasikornbank(transRef, now)
    default:
      return undefined
  }
}

/**
 * The span in which the transfer was made, as its reference says; undefined when it says nothing. Where a reference can
 * stand for several spans, it is the latest one that has begun, with a tolerance of one day because clocks differ. It only
 * says how old a slip may be: it is never the time of a transfer.
 */
export const transferSpanHint = (sendingBank: string, transRef: string, now: number): TransferSpan | undefined => {
  const exact = spanFrom(transferTimeHint(sendingBank, transRef, now), 1)
  if (exact !== undefined) return exact
  const latest = now + DAY_MILLIS
  return spanForms
    .filter(({ bank }) => bank === sendingBank)
    .flatMap(({ pattern, spans }) => {
      const text = pattern.exec(transRef)?.[1]
      return text === undefined ? [] : spans(text, latest)
    })
    .filter((span) => span !== undefined)
    .filter(({ earliest }) => earliest <= latest)
    .toSorted((one, other) => other.latest - one.latest)
    .at(0)
}

/** How old a slip may be, in milliseconds. Both are negative for a transfer in the future. */
export interface SlipAge {
  readonly youngest: number
  readonly oldest: number
  /** Whether the form of the reference was compared with printed slips. The others only say that a slip may be new. */
  readonly isCompared: boolean
}

/**
 * How old a slip may be; undefined when its reference says nothing. The service received the slip at `presentedAt`
 * (milliseconds since 1970), so it is at least as old as this.
 */
export const slipAge = (
  sendingBank: string,
  transRef: string,
  now: number,
  presentedAt: number
): SlipAge | undefined => {
  const span = transferSpanHint(sendingBank, transRef, now)
  if (span === undefined) return undefined
  return {
    youngest: now - Math.min(span.latest, presentedAt, now),
    oldest: now - span.earliest,
    isCompared: transferTimeHint(sendingBank, transRef, now) !== undefined
  }
}

/**
 * How much is left of a window after the transfer, in milliseconds; 0 or less when it is over. A transfer in the future
 * counts as now, because clocks differ; beyond one window in the future the reference is wrong and no window is open.
 */
export const windowLeft = (windowMillis: number, age: SlipAge | undefined): number =>
  age === undefined || isBeyond(windowMillis, age) ? 0 : windowMillis - age.youngest

/** Whether a reference names a time further in the future than one window: then it says nothing about the age. */
export const isBeyond = (windowMillis: number, { oldest }: SlipAge): boolean => oldest < -windowMillis

/** Banks whose slips may still be unknown upstream, and for how long after the transfer. */
export interface PendingRule {
  readonly banks: ReadonlyArray<string>
  readonly windowMillis: number
}

/**
 * For how many more milliseconds a slip that its bank does not know is pending; 0: it is not found (docs/spec/http.md,
 * "Pending window"). The window includes its last moment, for which this returns 1. It counts from the latest time that
 * the reference allows, and not from a time after `presentedAt`. A forged reference only makes the caller wait.
 */
export const pendingMillis = (
  rule: PendingRule,
  sendingBank: string,
  transRef: string,
  now: number,
  presentedAt: number = now
): number => {
  if (!rule.banks.includes(sendingBank)) return 0
  const age = slipAge(sendingBank, transRef, now, presentedAt)
  if (age === undefined || isBeyond(rule.windowMillis, age)) return 0
  const remaining = windowLeft(rule.windowMillis, age)
  return remaining < 0 ? 0 : Math.max(remaining, 1)
}
