import { Cause, Effect, Exit, Option } from "effect"

/** Tells how an effect ended, and after how many seconds. What was interrupted says nothing. */
export const measured = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  report: (exit: Exit.Exit<A, E>, seconds: number) => void
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const begun = performance.now()
    return Effect.onExit(effect, (exit) =>
      Effect.sync(() => {
        if (Exit.isSuccess(exit) || !Cause.hasInterruptsOnly(exit.cause)) {
          report(exit, (performance.now() - begun) / 1_000)
        }
      }))
  })

/** What an effect failed with; undefined when it did not, or died. */
export const failureOf = <E>(exit: Exit.Exit<unknown, E>): E | undefined =>
  Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Cause.findErrorOption(exit.cause))

/** For what takes from a fraction of a millisecond to ten seconds. */
export const secondsBoundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
