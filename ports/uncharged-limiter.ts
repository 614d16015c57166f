import { Context, Data, type Effect } from "effect"

/**
 * What adds events to the log and costs the branch no unit: a repeat of a slip that it verified before, and a request
 * that ended without a slip.
 */
export const Uncharged = ["repeat", "failure"] as const
export type Uncharged = typeof Uncharged[number]

/** The branch has used up its allowance for now. */
export class UnchargedLimitExceeded extends Data.TaggedError("UnchargedLimitExceeded")<{
  readonly kind: Uncharged
  /** Whole seconds until the allowance has the next one, at least 1. */
  readonly retryAfterSeconds: number
}> {}

/**
 * Limits how much a branch adds to the log without paying for it, and what it asks the banks without finding a slip
 * (docs/spec/http.md, "Limits"). The allowance of a day is a token bucket, so it comes back evenly. It need not be exact.
 */
export class UnchargedLimiter extends Context.Service<UnchargedLimiter, {
  /** Takes one from the allowance. */
  readonly take: (kind: Uncharged, branchId: string) => Effect.Effect<void, UnchargedLimitExceeded>
  /** Takes nothing. Fails while this process knows that the allowance is used up. */
  readonly check: (kind: Uncharged, branchId: string) => Effect.Effect<void, UnchargedLimitExceeded>
  /** Takes one for what is in the log already, such as the end of a job. The branch may owe the allowance of a day. */
  readonly owe: (kind: Uncharged, branchId: string) => Effect.Effect<void>
  /** Takes nothing. Fails while the branch owes any kind, also after `owe` in another process. */
  readonly checkDebt: (branchId: string) => Effect.Effect<void, UnchargedLimitExceeded>
}>()("sliptrail/application/UnchargedLimiter") {}
