import { Effect } from "effect"
import { EventStore } from "../ports/event-store.ts"
import { ReadModels } from "../ports/read-models.ts"

const PATIENCE_MILLIS = 2_000

/**
 * A row of a read model. That there is none is believed only of a model that is as far as the log is now: what was
 * answered a moment ago, by whichever process, is there. Fails with `behind` when the model does not get there in time.
 */
export const rowCaughtUp = Effect.fnUntraced(function*(model: string, table: string, key: string) {
  const models = yield* ReadModels
  const row = yield* models.get(model, table, key)
  if (row !== undefined) return row
  yield* models.awaitPosition(model, yield* (yield* EventStore).head, PATIENCE_MILLIS)
  return yield* models.get(model, table, key)
})
