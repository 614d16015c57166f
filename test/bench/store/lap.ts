import { Effect } from "effect"
import { BenchError } from "../figure.ts"

/** Events or other things a second, of this many within an effect. */
export const perSecond = <E, R>(
  count: number,
  effect: Effect.Effect<unknown, E, R>
): Effect.Effect<number, BenchError, R> =>
  Effect.suspend(() => {
    const started = performance.now()
    return Effect.map(effect, () => count / (performance.now() - started) * 1_000)
  }).pipe(Effect.mapError((error) => new BenchError({ message: `not measured: ${String(error)}` })))
