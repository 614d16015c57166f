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
  /** In thousandths of a token, negative for a debt: a millisecond adds a whole number of them, so rounding loses nothing. */
  readonly left: number
  /** Milliseconds since 1970. */
  readonly at: number
}

const TOKEN = 1_000

/** The tokens that are left now. A clock that was set back adds none. */
const refill = ({ burst, perSecond }: Rate, { at, left }: Bucket, now: number): number =>
  Math.min(burst * TOKEN, left + Math.max(0, now - at) * perSecond)

/** Tokens to take. */
export interface Cost {
  readonly tokens: number
  /** The tokens that the bucket must have, negative for a debt; with fewer than `tokens`, it goes further into debt. */
  readonly least: number
}

/** One request. */
export const ONE_REQUEST: Cost = { tokens: 1, least: 1 }

/** More tokens of an admitted request, unless the bucket owes more than `maxDebt`. */
export const moreTokens = (tokens: number, maxDebt = 0): Cost => ({ tokens, least: -maxDebt })

/** Whether a bucket is full, so that it need not be remembered. */
export const isFull = (rate: Rate, bucket: Bucket, now: number): boolean =>
  refill(rate, bucket, now) >= rate.burst * TOKEN

/** Takes tokens if there are enough. An undefined bucket is a full one. */
export const takeTokens = (rate: Rate, before: Bucket | undefined, now: number, { least, tokens } = ONE_REQUEST): {
  readonly bucket: Bucket
  readonly status: RateLimitStatus
} => {
  const found = before === undefined ? rate.burst * TOKEN : refill(rate, before, now)
  const isAdmitted = found >= least * TOKEN
  const left = isAdmitted ? found - tokens * TOKEN : found
  return { bucket: { left, at: now }, status: rateLimitStatus(rate, left, isAdmitted) }
}

/** The rate limit as the caller sees it. `left` is in thousandths of a token. */
export const rateLimitStatus = ({ burst, perSecond }: Rate, left: number, isAdmitted: boolean): RateLimitStatus => {
  const secondsFor = (missing: number): number => Math.ceil(missing / (perSecond * TOKEN))
  return {
    isAdmitted,
    limit: burst,
    remaining: Math.max(0, Math.floor(left / TOKEN)),
    resetSeconds: secondsFor(burst * TOKEN - left),
    retryAfterSeconds: secondsFor(Math.max(0, TOKEN - left))
  }
}
