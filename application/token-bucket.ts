import type { RateStanding } from "./ports/rate-limiter.ts"

/** How fast one branch may ask (settings `RATE_LIMIT`, `RATE_LIMIT_BURST`). */
export interface Rate {
  /** Tokens that come back each second; 0 switches the limit off. */
  readonly perSecond: number
  /** Tokens of a full bucket. */
  readonly burst: number
}

/** Tokens that were left at a time, in milliseconds. */
export interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** What is in a bucket at a later time; a clock that goes back brings nothing. */
const refilled = ({ burst, perSecond }: Rate, { at, tokens }: Bucket, now: number): Bucket =>
  now <= at ? { tokens, at } : { tokens: Math.min(burst, tokens + ((now - at) * perSecond) / 1_000), at: now }

/** Takes a token if there is a whole one; `bucket` is what is left, and none before is a full one. */
export const takeToken = (rate: Rate, before: Bucket | undefined, now: number): {
  readonly bucket: Bucket
  readonly standing: RateStanding
} => {
  const full = refilled(rate, before ?? { tokens: rate.burst, at: now }, now)
  const isAdmitted = full.tokens >= 1
  const bucket = isAdmitted ? { ...full, tokens: full.tokens - 1 } : full
  return { bucket, standing: standingOf(rate, bucket.tokens, isAdmitted) }
}

/** What a caller is told of a bucket with so many tokens left. */
export const standingOf = ({ burst, perSecond }: Rate, tokens: number, isAdmitted: boolean): RateStanding => ({
  isAdmitted,
  limit: burst,
  remaining: Math.floor(tokens),
  resetSeconds: Math.ceil((burst - tokens) / perSecond),
  retryAfterSeconds: tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perSecond)
})
