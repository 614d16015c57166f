import { Context, type Effect } from "effect"

/**
 * Who of many processes works on something at the moment. A claim is a courtesy that spares double work and no
 * guarantee: a process that was paused wakes up believing that it still has it. Exactness comes from the log alone.
 *
 * What is claimed when this closes is given back, so that another process need not wait for it to run out.
 */
export class Claims extends Context.Service<Claims, {
  /**
   * Claims a name for so long: true when nobody had it, and false when somebody has, be it another fiber of this
   * process. Also false while the engine is away: nothing is begun then that others might be doing.
   */
  readonly claim: (name: string, forMillis: number) => Effect.Effect<boolean>
  /** Gives back what this process claimed; nothing happens when another process has it by now. Never fails. */
  readonly giveBack: (name: string) => Effect.Effect<void>
}>()("sliptrail/application/Claims") {}
