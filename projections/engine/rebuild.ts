import { Effect, Schedule } from "effect"
import { modelName, shadowName } from "./model-name.ts"
import { beginning, isBefore } from "../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError } from "../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import type { Projection } from "./projection.ts"
import { type OnProgress, replayPage } from "./replay.ts"
import { resetIfAhead } from "./reset-if-ahead.ts"

/**
 * Builds a projection's model anew beside the one in force and puts it in its place once it is as far: until then the
 * old one is read and written as ever, by this and other processes. Gives the model and the checkpoint it was put in
 * place at. Fails, and leaves the old one in force, when the projection can't take an event, or an engine stays away.
 *
 * Of several rebuilds at the same time each writes the same content beside the model, and the guard of `apply` tells
 * it where the other is; one that finds everything gone, because the other was done or gave up, begins anew.
 */
export const rebuild = Effect.fn("rebuild")(function* (
  projection: Projection,
  onProgress: OnProgress = () => Effect.void
) {
  const models = yield* ReadModels
  const model = modelName(projection)
  const clearBeside = models.clear(shadowName(model))
  // At first for what a rebuild left that was killed, perhaps one of other code.
  return yield* Effect.andThen(patiently(clearBeside), build(projection, model, onProgress)).pipe(
    Effect.onExit((exit) => exit._tag === "Success" ? Effect.void : Effect.ignore(clearBeside))
  )
})

const build = Effect.fnUntraced(function* (projection: Projection, model: string, onProgress: OnProgress) {
  const store = yield* EventStore
  const models = yield* ReadModels
  const beside = { models, model: shadowName(model) }
  let head = yield* patiently(store.head)
  let at = beginning
  while (true) {
    const next = yield* patiently(replayPage(projection, beside, at))
    if (next !== undefined) {
      at = next
      if (isBefore(head, at)) head = at
      yield* onProgress(at, head)
      continue
    }
    if (yield* patiently(models.promote(model))) return { model, position: at }
    // A model that is ahead of the log can never be caught up with; it is not worth keeping, and cleared.
    yield* patiently(resetIfAhead(store, models, model))
    at = yield* patiently(models.checkpoint(beside.model))
    yield* Effect.sleep(againMillis)
  }
})

/** Before the log is looked at again, when the model is further than what could be read of it. */
const againMillis = 20

/** Every step may be made twice: an engine that is away for a moment need not cost a long rebuild. */
const patiently = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(step, { schedule: backoff, while: isPassing })

const isPassing = (error: unknown): boolean =>
  (error instanceof ReadModelsError || error instanceof EventStoreError)
  && (error.reason === "unavailable" || error.reason === "timeout")

/** About ten seconds in all. */
const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.upTo({ times: 10 })
)
