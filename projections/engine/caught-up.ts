import { Effect } from "effect"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"

const PATIENCE_MILLIS = 2_000

/**
 * Waits until read models are as far as the log is now: what was answered a moment ago, by whichever process, is in
 * them. Fails with `behind` when one does not get there in time.
 */
export const caughtUp = Effect.fnUntraced(
  function* (modelNames: ReadonlyArray<string>, patienceMillis = PATIENCE_MILLIS) {
    const models = yield* ReadModels
    const head = yield* (yield* EventStore).head
    for (const model of modelNames) yield* models.awaitPosition(model, head, patienceMillis)
  }
)

/**
 * A row of a read model. That there is none is believed only of a model that has caught up; fails as `caughtUp` does.
 */
export const rowCaughtUp = Effect.fnUntraced(function* (model: string, table: string, key: string) {
  const models = yield* ReadModels
  const row = yield* models.get(model, table, key)
  if (row !== undefined) return row
  yield* caughtUp([model])
  return yield* models.get(model, table, key)
})
