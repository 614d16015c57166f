/** The lifetime of a session, such as `CONSOLE_SESSION_TIMEOUT` and `CONSOLE_IDLE_TIMEOUT`. */
export interface SessionLimits {
  readonly maxMillis: number
  /** A session ends this long after its last request. */
  readonly idleMillis: number
}

/** Times in milliseconds since 1970. */
interface SessionTimes {
  /** When the cookie was made. */
  readonly seenAt: number
  /** When the session ends at the latest. */
  readonly expiresAt: number
}

/** A request renews the cookie when it is older than this share of the idle time. */
const RENEWAL_SHARE = 0.1

/** Whether a session has neither expired nor been idle for too long. */
export const isSessionOpen = (
  { expiresAt, seenAt }: SessionTimes,
  { idleMillis }: SessionLimits,
  now: number
): boolean => expiresAt > now && seenAt + idleMillis > now

/** Whether the answer carries a new cookie, so that the idle time begins again. */
export const needsRenewal = ({ seenAt }: SessionTimes, { idleMillis }: SessionLimits, now: number): boolean =>
  now - seenAt >= idleMillis * RENEWAL_SHARE
