import { Effect, type Fiber } from "effect"
import { TestClock } from "effect/testing"

/**
 * Lets the test clock run until a condition holds, whatever that waits for: time, or an answer from outside, which
 * takes turns of the event loop and no time of the test clock. Dies when it never comes to hold.
 */
export const until = Effect.fnUntraced(function* <E, R>(condition: Effect.Effect<boolean, E, R>) {
  for (let turn = 0; !(yield* condition); turn++) {
    if (turn === mostTurns) return yield* Effect.die("what the test waits for did not happen")
    yield* TestClock.adjust(50)
    yield* Effect.promise(() => new Promise<void>((resume) => setTimeout(resume, 0)))
  }
})

/** Lets the test clock run until a fiber has ended. */
export const untilDone = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<void> =>
  until(Effect.sync(() => fiber.pollUnsafe() !== undefined))

const mostTurns = 5_000
