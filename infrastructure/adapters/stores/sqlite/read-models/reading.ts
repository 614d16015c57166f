import { Clock, Effect } from "effect"
import { isBefore, type Position } from "../../../../../domain/events/recorded-event.ts"
import { ReadModelsError } from "../../../../../ports/read-models.ts"
import { makeCondition } from "../../../../../projections/engine/condition.ts"
import type { HighWaterMarks } from "./high-water-marks.ts"
import type { OpenFile } from "./open-file.ts"
import type { Tables } from "./tables.ts"

/** Reads that know how far the models are, and waits for a position. */
export const makeReading = (attempt: OpenFile["attempt"], marks: HighWaterMarks) => {
  const changed = makeCondition()
  let moves = 0

  const awaitPosition = Effect.fnUntraced(function* (model: string, position: Position, timeoutMillis: number) {
    const reached = attempt("awaitPosition", (tables) => !isBefore(tables.checkpoint(model), position))
    if (yield* reached) return
    const deadline = (yield* Clock.currentTimeMillis) + timeoutMillis
    while (true) {
      const before = moves
      if (yield* reached) return
      const left = deadline - (yield* Clock.currentTimeMillis)
      if (left <= 0) return yield* new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
      // Polls too, because another process may move the checkpoint in the same file.
      yield* Effect.timeoutOption(changed.await(() => moves !== before), Math.min(left, pollMillis))
    }
  })

  return {
    /** Runs synchronously on a model. Fails with `behind` while the model is below its high-water mark. */
    read: <A>(operation: string, model: string, run: (tables: Tables) => A) =>
      attempt(operation, (tables) => {
        if (marks.unreached(model, tables.checkpoint) !== undefined) {
          throw new ReadModelsError({ operation, reason: "behind" })
        }
        return run(tables)
      }),
    require: (model: string, position: Position) => Effect.sync(() => marks.require(model, position)),
    awaitPosition,
    awaitComplete: (model: string, timeoutMillis: number) =>
      Effect.flatMap(
        attempt("awaitComplete", (tables) => marks.unreached(model, tables.checkpoint)),
        (mark) => mark === undefined ? Effect.void : awaitPosition(model, mark, timeoutMillis)
      ),
    /** A model has moved to a position. */
    moved: (model: string, position: Position) => {
      moves++
      marks.raise(model, position)
      changed.notifyAll()
    }
  }
}

/** A poll takes microseconds. */
const pollMillis = 50
