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

/** Banks whose slips may still be unknown upstream, and for how long after the transfer. */
export interface PendingRule {
  readonly banks: ReadonlyArray<string>
  readonly windowMillis: number
}

/**
 * For how many more milliseconds a slip that its bank does not know is pending; 0: it is not found (docs/spec/http.md,
 * "Pending window"). The window includes its last moment, for which this returns 1. A transfer time in the future
 * counts as now, because clocks differ. A forged reference only makes the caller wait.
 */
export const pendingMillis = (rule: PendingRule, sendingBank: string, transRef: string, now: number): number => {
  if (!rule.banks.includes(sendingBank)) return 0
  const transferredAt = transferTimeHint(sendingBank, transRef, now)
  if (transferredAt === undefined || transferredAt - now > rule.windowMillis) return 0
  const remaining = Math.min(transferredAt, now) + rule.windowMillis - now
  return remaining < 0 ? 0 : Math.max(remaining, 1)
}
