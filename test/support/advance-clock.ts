import { Effect, type Fiber } from "effect"
import { TestClock } from "effect/testing"

/**
 * Advances the test clock until a condition holds, and yields to the event loop at each step, so that promises can
 * settle. After 5,000 steps the condition may wait for another process: then it pauses in real time, and dies after two
 * minutes.
 */
export const until = Effect.fnUntraced(function* <E, R>(condition: Effect.Effect<boolean, E, R>) {
  for (let turn = 0; !(yield* condition); turn++) {
    if (turn === QUICK_TURNS + PAUSED_TURNS) return yield* Effect.die("the condition did not hold")
    yield* TestClock.adjust(50)
    const pause = turn < QUICK_TURNS ? 0 : PAUSE_MILLIS
    yield* Effect.promise(() => new Promise<void>((resume) => setTimeout(resume, pause)))
  }
})

/** Advances the test clock until a fiber has ended. */
export const untilDone = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<void> =>
  until(Effect.sync(() => fiber.pollUnsafe() !== undefined))

const QUICK_TURNS = 5_000
const PAUSE_MILLIS = 50
const PAUSED_TURNS = 2_400
