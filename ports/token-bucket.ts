import type { RateStanding } from "./rate-limiter.ts"

/** How fast one branch may ask (settings `RATE_LIMIT`, `RATE_LIMIT_BURST`). */
export interface Rate {
  /** Tokens that come back each second; above 0. */
  readonly perSecond: number
  /** Tokens of a full bucket; 1 or more, or nobody is ever admitted. */
  readonly burst: number
}

/** What was left at a time. */
export interface Bucket {
  /** In thousandths of a token: a millisecond brings a whole number of them, and nothing is lost to rounding. */
  readonly left: number
  /** Milliseconds since 1970. */
  readonly at: number
}

const TOKEN = 1_000

/** What is left now. A clock that was put back brings nothing, and counts on from there. */
const refill = ({ burst, perSecond }: Rate, { at, left }: Bucket, now: number): number =>
  Math.min(burst * TOKEN, left + Math.max(0, now - at) * perSecond)

/** Takes a token if there is a whole one; `bucket` is what is left, and none before is a full one. */
export const takeToken = (rate: Rate, before: Bucket | undefined, now: number): {
  readonly bucket: Bucket
  readonly standing: RateStanding
} => {
  const found = before === undefined ? rate.burst * TOKEN : refill(rate, before, now)
  const isAdmitted = found >= TOKEN
  const left = isAdmitted ? found - TOKEN : found
  return { bucket: { left, at: now }, standing: standingOf(rate, left, isAdmitted) }
}

/** What a caller is told when so much is left, in thousandths of a token. */
export const standingOf = ({ burst, perSecond }: Rate, left: number, isAdmitted: boolean): RateStanding => {
  const secondsFor = (missing: number): number => Math.ceil(missing / (perSecond * TOKEN))
  return {
    isAdmitted,
    limit: burst,
    remaining: Math.floor(left / TOKEN),
    resetSeconds: secondsFor(burst * TOKEN - left),
    retryAfterSeconds: secondsFor(Math.max(0, TOKEN - left))
  }
}
