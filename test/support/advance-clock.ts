import { Effect, type Fiber } from "effect"
import { TestClock } from "effect/testing"

/** Effects of `holdingClock` that have not ended. */
let unended = 0

/**
 * Runs an effect that takes real time, such as a request to a server. Until it ends, `until` does not advance the clock.
 * Otherwise a limit of two seconds would pass within 40 turns of the event loop, whether the server has answered or not.
 */
export const holdingClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => unended++),
    () => effect,
    () => Effect.sync(() => unended--)
  )

const settle = (pauseMillis: number) =>
  Effect.promise(async () => {
    // At the end of an effect, the same turn may start the next one.
    do await new Promise<void>((resume) => setTimeout(resume, pauseMillis))
    while (unended > 0)
  })

/** Waits in real time until no effect of `holdingClock` runs, and all that it led to has started. */
export const settled: Effect.Effect<void> = settle(0)

/**
 * Advances the test clock until a condition holds, and yields to the event loop at each step, so that promises can
 * settle. After 5,000 steps the condition may wait for another process: then it pauses in real time, and dies after two
 * minutes.
 */
export const until = Effect.fnUntraced(function* <E, R>(condition: Effect.Effect<boolean, E, R>) {
  for (let turn = 0; !(yield* condition); turn++) {
    if (turn === QUICK_TURNS + PAUSED_TURNS) return yield* Effect.die("the condition did not hold")
    yield* TestClock.adjust(50)
    yield* settle(turn < QUICK_TURNS ? 0 : PAUSE_MILLIS)
  }
})

/** Advances the test clock until a fiber has ended. */
export const untilDone = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<void> =>
  until(Effect.sync(() => fiber.pollUnsafe() !== undefined))

const QUICK_TURNS = 5_000
const PAUSE_MILLIS = 50
const PAUSED_TURNS = 2_400
