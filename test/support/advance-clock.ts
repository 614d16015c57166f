import { Effect, type Fiber } from "effect"
import { TestClock } from "effect/testing"

/**
 * Advances the test clock until a condition holds, and yields to the event loop at each step, so that promises can
 * settle. Dies after 5,000 steps.
 */
export const until = Effect.fnUntraced(function* <E, R>(condition: Effect.Effect<boolean, E, R>) {
  for (let turn = 0; !(yield* condition); turn++) {
    if (turn === MAX_TURNS) return yield* Effect.die("the condition did not hold")
    yield* TestClock.adjust(50)
    yield* Effect.promise(() => new Promise<void>((resume) => setTimeout(resume, 0)))
  }
})

/** Advances the test clock until a fiber has ended. */
export const untilDone = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<void> =>
  until(Effect.sync(() => fiber.pollUnsafe() !== undefined))

const MAX_TURNS = 5_000
