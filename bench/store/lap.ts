import { Effect } from "effect"
import { BenchError } from "../figure.ts"

/** Runs an effect that handles `count` items. Returns the items per second. */
export const perSecond = <E, R>(
  count: number,
  effect: Effect.Effect<unknown, E, R>
): Effect.Effect<number, BenchError, R> =>
  Effect.suspend(() => {
    const started = performance.now()
    return Effect.map(effect, () => count / (performance.now() - started) * 1_000)
  }).pipe(Effect.mapError((error) => new BenchError({ message: `measurement failed: ${String(error)}` })))
