import { Context, type Effect } from "effect"

/** How a branch stands towards its rate limit once a request was counted. */
export interface RateStanding {
  readonly isAdmitted: boolean
  /** Requests that may come at once. */
  readonly limit: number
  /** How many more may come right now. */
  readonly remaining: number
  /** Whole seconds until `limit` may come at once again. */
  readonly resetSeconds: number
  /** Whole seconds until one more may come; 0 when it may already. */
  readonly retryAfterSeconds: number
}

/**
 * How fast a branch may ask: a token bucket for each (docs/spec/http.md, "Limits"). A courtesy that keeps one caller
 * from crowding out the others, and no guarantee: what must be exact is the quota.
 */
export class RateLimiter extends Context.Service<RateLimiter, {
  /**
   * Takes a token for one request. `undefined` when there is no limit, or when the engine that counts is away: nobody
   * is refused because of that.
   */
  readonly take: (branchId: string) => Effect.Effect<RateStanding | undefined>
}>()("sliptrail/application/RateLimiter") {}
