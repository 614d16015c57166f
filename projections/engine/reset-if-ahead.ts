import { Effect } from "effect"
import { beginning, formatPosition, isBefore } from "../../domain/events/recorded-event.ts"
import type { EventStore } from "../../ports/event-store.ts"
import type { ReadModels } from "../../ports/read-models.ts"
import { SoleWriter } from "../../ports/sole-writer.ts"

/**
 * Returns the checkpoint of a model. Clears a model that is ahead of the log: it was built from another log, or from
 * this one before the log was restored to an earlier state. Every process that updates the model must call this.
 */
export const resetIfAhead = Effect.fnUntraced(function* (
  store: EventStore["Service"],
  models: ReadModels["Service"],
  model: string
) {
  // The order matters: a checkpoint that is read before the head cannot be after it.
  const readBoth = Effect.all({ checkpoint: models.checkpoint(model), head: store.head })
  const first = yield* readBoth
  if (!isBefore(first.head, first.checkpoint)) return first.checkpoint
  // The replica of the log that answered may be behind, for example after a leader election. A log of this process has none.
  const recheck = Effect.andThen(Effect.sleep(recheckMillis), readBoth)
  const { checkpoint, head } = (yield* SoleWriter) === undefined ? yield* recheck : first
  if (!isBefore(head, checkpoint)) return checkpoint
  yield* Effect.logError("The read model is ahead of the log and is built again").pipe(
    Effect.annotateLogs({ model, checkpoint: formatPosition(checkpoint), head: formatPosition(head) })
  )
  yield* models.clear(model, head)
  return beginning
})

const recheckMillis = 1_000
