import { Effect, Queue, Schedule } from "effect"
import type { ReadModelsError } from "../../../ports/read-models.ts"
import type { RedisConnection } from "./connection.ts"
import { sweepScript } from "./whole-scripts.ts"

/** Asks for the garbage of a model to be deleted, by the prefix of its keys. */
export type Sweep = (prefix: string) => void

/**
 * Deletes generations that nobody reads any more, in small steps between other work, until the scope is closed. While
 * Redis is away it waits; what is left when the process ends is found by the next one that writes the model.
 */
export const makeSweeper = Effect.fnUntraced(function* (connection: RedisConnection["Service"]) {
  const wanted = yield* Queue.unbounded<string>()
  const step = (prefix: string): Effect.Effect<void, ReadModelsError> =>
    connection.run("sweep", sweepScript, [`${prefix}:garbage`], [prefix, NAMES_AT_A_TIME]).pipe(
      Effect.flatMap((more) => more === 1 ? step(prefix) : Effect.void)
    )
  yield* Effect.forkScoped(Effect.forever(
    Effect.flatMap(
      Queue.take(wanted),
      (prefix) => Effect.ignore(Effect.retry(step(prefix), Schedule.spaced("1 second")))
    )
  ))
  const sweep: Sweep = (prefix) => void Queue.offerUnsafe(wanted, prefix)
  return sweep
})

const NAMES_AT_A_TIME = 200
