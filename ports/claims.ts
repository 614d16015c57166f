import { Context, Data, type Effect } from "effect"

/** The engine did not say who holds the claim. */
export class ClaimUnknown extends Data.TaggedError("ClaimUnknown")<object> {}

/**
 * Decides which of several processes works on something at the moment. A claim saves double work and guarantees
 * nothing: a process that was paused wakes up and still assumes that it holds the claim. Only the log decides.
 *
 * When the service closes it releases its claims, so that other processes need not wait until they expire.
 */
export class Claims extends Context.Service<Claims, {
  /**
   * Claims a name for a time. False when another process or another fiber of this process holds it. Fails while the
   * engine is unavailable: then another process may be doing the work, or none.
   */
  readonly claim: (name: string, forMillis: number) => Effect.Effect<boolean, ClaimUnknown>
  /** Releases a claim of this process. Does nothing when another process holds it by now. Never fails. */
  readonly release: (name: string) => Effect.Effect<void>
}>()("sliptrail/application/Claims") {}
