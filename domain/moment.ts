import { fromBangkok } from "./time.ts"

/** A time as a person writes it. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly at: number
  /** It named no offset, and so was read as the time in Bangkok. */
  readonly isBangkok: boolean
}

const WRITTEN = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z|[+ -]\d{2}:\d{2})?)?$/iu

const DAY_MILLIS = 86_400_000
const HOUR_MILLIS = 3_600_000

/** `Z` or such as `+07:00`, in milliseconds. A plus sign that came in a URL as it is, came in as a space. */
const offsetMillis = (text: string): number | undefined => {
  if (/^z$/iu.test(text)) return 0
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(4))
  if (hours > 14 || minutes > 59) return undefined
  return (text.startsWith("-") ? -1 : 1) * (hours * HOUR_MILLIS + minutes * 60_000)
}

/**
 * Reads ISO 8601 with an offset, such as `2026-11-21T08:45:00Z`; without one, such as `2026-11-21 15:45`, the time in
 * Bangkok; or a day there, which stands for its first or its last millisecond. Undefined when it is none of these, or
 * the calendar has no such day.
 */
export const readMoment = (text: string, ofDay: "first" | "last"): Moment | undefined => {
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
  const ahead = offsetMillis(offset)
  return ahead === undefined ? undefined : { at: at + 7 * HOUR_MILLIS - ahead, isBangkok: false }
}
