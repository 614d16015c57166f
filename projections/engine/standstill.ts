import { Clock, Effect } from "effect"
import { formatPosition, isBefore } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { type ModelId, modelName } from "./model-name.ts"

/**
 * A model that is behind the log, and has not moved for this long, stands still: no process projects it. Longer than a
 * projector needs to take over from one that died, or to start again.
 */
export const STANDSTILL_MILLIS = 30_000

/** Since when a model has been seen behind the log, at which checkpoint. On the monotonic clock: the other one can be set. */
interface Behind {
  readonly checkpoint: string
  readonly sinceMillis: number
}

/**
 * Makes a check of whether a model stands still, by any process's projector. It compares what it sees with what its calls
 * before saw, so it must be called every few seconds.
 */
export const makeStandstill = () => {
  const behind = new Map<string, Behind>()
  return Effect.fnUntraced(function* (id: ModelId) {
    const model = modelName(id)
    const checkpoint = yield* ReadModels.use((models) => models.checkpoint(model))
    // Read last: the model of a busy log would be ahead of an earlier end.
    const head = yield* EventStore.use((store) => store.head)
    const now = Number((yield* Clock.monotonicTimeNanos) / 1_000_000n)
    if (!isBefore(checkpoint, head)) {
      behind.delete(model)
      return false
    }
    const at = formatPosition(checkpoint)
    const before = behind.get(model)
    if (before?.checkpoint === at) return now - before.sinceMillis >= STANDSTILL_MILLIS
    behind.set(model, { checkpoint: at, sinceMillis: now })
    return false
  })
}
