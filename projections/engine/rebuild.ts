import { Data, Effect, Schedule } from "effect"
import { beginning, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError } from "../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import { modelName, shadowName } from "./model-name.ts"
import { handlesStream, type Projection } from "./projection.ts"
import { resetIfAhead } from "./runner.ts"

/** How far a long piece of work is, both in the log. */
export type OnProgress = (done: Position, of: Position) => Effect.Effect<void>

/** An event that the projection can't take. */
export class NotProjected extends Data.TaggedError("NotProjected")<{ readonly message: string }> {}

/**
 * Applies the next page of the log behind `after` to a name space, and gives the checkpoint in force there afterwards;
 * undefined when the log ends at `after`. With `upTo` nothing behind that is taken, and the last page ends there.
 */
export const replayPage = Effect.fnUntraced(function* (
  projection: Projection,
  into: { readonly models: ReadModels["Service"]; readonly model: string },
  after: Position,
  upTo?: Position
) {
  const page = yield* (yield* EventStore).readAll({ after, limit: PAGE })
  const events = upTo === undefined ? page : page.filter(({ position }) => !isBefore(upTo, position))
  const writes = yield* Effect.try({
    try: () => events.filter(({ stream }) => handlesStream(projection, stream)).flatMap(projection.when),
    catch: (cause) => new NotProjected({ message: `the projection ${projection.name} fails: ${String(cause)}` })
  })
  const last = events.at(-1)?.position
  // The checkpoint of a model need not be the place of an event.
  const next = events.length < page.length || last === undefined ? upTo : last
  if (next === undefined) return undefined
  const inForce = yield* into.models.apply(into.model, { after, upTo: next, writes })
  // Embedded engines work synchronously: without this, a replay would keep the process from all else.
  yield* Effect.yieldNow
  return inForce
})

/** Events that are read and written at once. */
const PAGE = 500

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
  const clearBeside = models.clear(shadowName(model), beginning)
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
