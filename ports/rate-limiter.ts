import { Context, type Effect } from "effect"

/** The rate limit of a branch after one request. */
export interface RateLimitStatus {
  readonly isAdmitted: boolean
  /** The size of the bucket: requests that are admitted at once. */
  readonly limit: number
  /** Requests that are admitted now. */
  readonly remaining: number
  /** Whole seconds until the bucket is full. */
  readonly resetSeconds: number
  /** Whole seconds until the next request is admitted; 0 when it is admitted now. */
  readonly retryAfterSeconds: number
}

/**
 * Limits the requests of each branch with a token bucket (docs/spec/http.md, "Limits"). It keeps one caller from
 * slowing down the others and need not be exact. The quota is exact.
 */
export class RateLimiter extends Context.Service<RateLimiter, {
  /**
   * Takes a token for one request. Undefined without a limit, and while the engine is unavailable: requests are
   * admitted then.
   */
  readonly take: (branchId: string) => Effect.Effect<RateLimitStatus | undefined>
  /**
   * Takes more tokens for a request that was admitted, such as a batch. The bucket may go into debt, so a batch may be
   * larger than a full bucket; it is refused while the bucket is in debt already. With `maxDebt`, it is refused while
   * the bucket owes more tokens than that.
   */
  readonly takeMore: (
    branchId: string,
    tokens: number,
    maxDebt?: number
  ) => Effect.Effect<RateLimitStatus | undefined>
}>()("sliptrail/application/RateLimiter") {}
