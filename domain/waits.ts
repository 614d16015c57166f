/**
 * The upper bounds of all waits (docs/spec/http.md, "Upper bounds of waits"). Times are in milliseconds. A wait that
 * another party causes never exceeds them, whatever a caller, a QR code, a bank, a receiver or a clock says.
 */

const HOUR_MILLIS = 3_600_000

/** The longest wait that a bank, a QR code, a receiver or `PENDING_WINDOW` can cause. */
export const MAX_STATED_WAIT_MILLIS = HOUR_MILLIS

/** The longest delay of a retry schedule that an operator can set. */
export const MAX_SCHEDULED_WAIT_MILLIS = 7 * 24 * HOUR_MILLIS

/** The longest `Retry-After` in seconds: limits that count a day refill within a day. */
export const MAX_RETRY_AFTER_SECONDS = 24 * 3_600

/** A number of seconds that another party stated, as one that the service waits: whole, at least 1, bounded. */
export const statedWaitSeconds = (seconds: number): number => bounded(seconds, MAX_STATED_WAIT_MILLIS / 1_000)

/** The value of `Retry-After`. */
export const retryAfterSeconds = (seconds: number): number => bounded(seconds, MAX_RETRY_AFTER_SECONDS)

/** Anything that is no number counts as the longest wait. */
const bounded = (seconds: number, most: number): number =>
  Number.isNaN(seconds) ? most : Math.min(Math.max(1, Math.ceil(seconds)), most)

/**
 * What is left of a wait that ends at `until` and never exceeds `longest`; 0 when it is over. It is also over when more
 * is left than the whole wait: the clock was set back meanwhile.
 */
export const waitLeft = (until: number, now: number, longest: number): number => {
  const left = until - now
  return left > longest || !(left > 0) ? 0 : left
}
