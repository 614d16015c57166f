import type { RateLimitStatus } from "./rate-limiter.ts"

/** The rate of one branch (settings `RATE_LIMIT`, `RATE_LIMIT_BURST`). */
export interface Rate {
  /** Tokens added each second; above 0. */
  readonly perSecond: number
  /** Tokens of a full bucket; at least 1. */
  readonly burst: number
}

/** The tokens that were left at a time. */
export interface Bucket {
  /** In thousandths of a token: a millisecond adds a whole number of them, so rounding loses nothing. */
  readonly left: number
  /** Milliseconds since 1970. */
  readonly at: number
}

const TOKEN = 1_000

/** The tokens that are left now. A clock that was set back adds none. */
const refill = ({ burst, perSecond }: Rate, { at, left }: Bucket, now: number): number =>
  Math.min(burst * TOKEN, left + Math.max(0, now - at) * perSecond)

/** Takes a token if there is one. An undefined bucket is a full one. */
export const takeToken = (rate: Rate, before: Bucket | undefined, now: number): {
  readonly bucket: Bucket
  readonly status: RateLimitStatus
} => {
  const found = before === undefined ? rate.burst * TOKEN : refill(rate, before, now)
  const isAdmitted = found >= TOKEN
  const left = isAdmitted ? found - TOKEN : found
  return { bucket: { left, at: now }, status: rateLimitStatus(rate, left, isAdmitted) }
}

/** The rate limit as the caller sees it. `left` is in thousandths of a token. */
export const rateLimitStatus = ({ burst, perSecond }: Rate, left: number, isAdmitted: boolean): RateLimitStatus => {
  const secondsFor = (missing: number): number => Math.ceil(missing / (perSecond * TOKEN))
  return {
    isAdmitted,
    limit: burst,
    remaining: Math.floor(left / TOKEN),
    resetSeconds: secondsFor(burst * TOKEN - left),
    retryAfterSeconds: secondsFor(Math.max(0, TOKEN - left))
  }
}
