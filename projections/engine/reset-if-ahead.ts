import { Effect } from "effect"
import { beginning, formatPosition, isBefore } from "../../domain/events/recorded-event.ts"
import type { EventStore } from "../../ports/event-store.ts"
import type { ReadModels } from "../../ports/read-models.ts"

/**
 * The checkpoint of a model, which is never ahead of the log: a model that is was made of another log, or of this one
 * before it was restored to an earlier state, and is cleared. That goes for any process that keeps it.
 */
export const resetIfAhead = Effect.fnUntraced(function* (
  store: EventStore["Service"],
  models: ReadModels["Service"],
  model: string
) {
  // In this order: a checkpoint that was read before the head can't be beyond it.
  const look = Effect.all({ checkpoint: models.checkpoint(model), head: store.head })
  const first = yield* look
  if (!isBefore(first.head, first.checkpoint)) return first.checkpoint
  // A replica of the log that is behind, as after a change of leaders, must not cost the model.
  yield* Effect.sleep(secondLookMillis)
  const { checkpoint, head } = yield* look
  if (!isBefore(head, checkpoint)) return checkpoint
  yield* Effect.logError("The read model is ahead of the log and is built anew").pipe(
    Effect.annotateLogs({ model, checkpoint: formatPosition(checkpoint), head: formatPosition(head) })
  )
  yield* models.clear(model, head)
  return beginning
})

const secondLookMillis = 1_000
