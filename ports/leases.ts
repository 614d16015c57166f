import { Context, type Effect } from "effect"

/**
 * Work that one of many processes should do at a time. A lease spares double work and is no guarantee: a holder that
 * was paused wakes up believing that it still holds it. What is done under a lease must be safe to be done twice.
 */
export class Leases extends Context.Service<Leases, {
  /**
   * Waits for the lease of that name and runs the effect under it. When the lease is lost, the effect is interrupted,
   * and runs again once the lease is won again. The lease is handed back when the effect ends or this is interrupted,
   * so that another process need not wait for it to expire. An engine that is away is waited for.
   */
  readonly whileHolding: <A, E, R>(name: string, run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("sliptrail/application/Leases") {}
