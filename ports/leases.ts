import { Context, type Effect } from "effect"

/**
 * The identity of this process among all that share the stores. It survives a restart, and no other process has it
 * meanwhile: what an earlier process with this identity held is free. Undefined when the process has none.
 */
export const Instance = Context.Reference<string | undefined>("sliptrail/application/Instance", {
  defaultValue: () => undefined
})

/**
 * Work that one of several processes does at a time. A lease saves double work and guarantees nothing: a holder that
 * was paused wakes up and still assumes that it holds the lease. Work under a lease must be safe to repeat.
 */
export class Leases extends Context.Service<Leases, {
  /**
   * Waits for the lease and runs the effect under it. When the lease is lost, the effect is interrupted; it runs again
   * when the lease is won again. The lease is released when the effect ends or is interrupted, so that other processes
   * need not wait until it expires. Waits while the engine is unavailable.
   */
  readonly whileHolding: <A, E, R>(name: string, run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("sliptrail/application/Leases") {}
