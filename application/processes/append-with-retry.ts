import { Clock, Effect } from "effect"
import { EventStoreError } from "../../ports/event-store.ts"

/**
 * Appends what came of a step, again and again while the store is away: it happened, and nobody else knows. Gives up
 * after so long, when the claim is over and somebody else may do the step anew. Repeated with the same ids, it is one
 * append. While it is being tried it can't be interrupted; between two tries it can.
 */
export const writeDown = Effect.fnUntraced(function* <A, E, R>(append: Effect.Effect<A, E, R>, forMillis: number) {
  const end = (yield* Clock.currentTimeMillis) + forMillis
  for (let pause = firstPause;; pause = Math.min(2 * pause, longestPause)) {
    const exit = yield* Effect.exit(Effect.uninterruptible(append))
    if (exit._tag === "Success") return exit.value
    const isOver = (yield* Clock.currentTimeMillis) + pause >= end
    if (isOver || !isAway(exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error)) return yield* exit
    yield* Effect.sleep(pause)
  }
})

const isAway = (error: unknown): boolean => error instanceof EventStoreError && error.reason !== "event-id-reused"

const firstPause = 100
const longestPause = 1_000
