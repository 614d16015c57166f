import { Effect } from "effect"
import { beginning, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ModelBuilder } from "../../ports/model-builder.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { PoisonEvent, projectAll } from "./batch.ts"
import { buildShadows } from "./build-shadows.ts"
import { modelName, shadowName } from "./model-name.ts"
import type { Projection } from "./projection.ts"
import { resetIfAhead } from "./reset-if-ahead.ts"
import { withRetries } from "./retries.ts"

/** Receives the position that is reached, and the position to reach. */
export type OnProgress = (reached: Position, target: Position) => Effect.Effect<void>

/** A poison event with the name of its projection, for an operator who rebuilds or compares several. */
const poisonOf = ({ name }: Projection, { cause, message }: PoisonEvent): PoisonEvent =>
  new PoisonEvent({ message: `the projection ${name} fails: ${message}`, cause })

/**
 * Applies the next page of the log after `after` to a model and returns the checkpoint that the model then has;
 * undefined when the log ends at `after`. With `upTo`, later events are not applied, and the last page ends at `upTo`.
 */
export const replayPage = Effect.fnUntraced(function* (
  projection: Projection,
  into: { readonly models: ReadModels["Service"]; readonly model: string },
  after: Position,
  upTo?: Position
) {
  const page = yield* (yield* EventStore).readAll({ after, limit: PAGE })
  const events = upTo === undefined ? page : page.filter(({ position }) => !isBefore(upTo, position))
  const { poison, writes } = projectAll(projection, events)
  if (poison !== undefined) return yield* poisonOf(projection, poison)
  const last = events.at(-1)?.position
  // The checkpoint of a model need not be the position of an event.
  const next = events.length < page.length || last === undefined ? upTo : last
  if (next === undefined) return undefined
  const checkpoint = yield* into.models.apply(into.model, { after, upTo: next, writes })
  // Embedded engines work synchronously: without this, a replay would block the process.
  yield* Effect.yieldNow
  return checkpoint
})

/** Events in one read and one write. */
const PAGE = 500

/**
 * Builds a shadow model of a projection from the beginning of the log. When it has reached the live model, it replaces
 * the live model; until then, all processes read and write the live model. Returns the model and the checkpoint of the
 * replacement. Fails and keeps the live model when the projection throws on an event, or an engine stays unavailable.
 *
 * Several rebuilds of a model may run at once. Each writes the same content to the shadow model, and `apply` returns
 * the checkpoint that another rebuild has reached. When another rebuild ends, it removes the shadow model: the
 * remaining ones start from the beginning again.
 */
export const rebuild = Effect.fn("rebuild")(function* (
  projection: Projection,
  onProgress: OnProgress = () => Effect.void
) {
  const models = yield* ReadModels
  const model = modelName(projection)
  const clearShadow = models.clear(shadowName(model), beginning)
  // A killed rebuild, perhaps of another version of the code, may have left a shadow model.
  return yield* Effect.andThen(withRetries(clearShadow), build(projection, model, onProgress)).pipe(
    Effect.onExit((exit) => exit._tag === "Success" ? Effect.void : Effect.ignore(clearShadow))
  )
})

const build = Effect.fnUntraced(function* (projection: Projection, model: string, onProgress: OnProgress) {
  const store = yield* EventStore
  const models = yield* ReadModels
  const shadow = shadowName(model)
  let head = yield* withRetries(store.head)
  const builder = yield* ModelBuilder
  let read = beginning
  const nextPage = Effect.gen(function* () {
    if (!isBefore(read, head)) return undefined
    const page = yield* withRetries(store.readAll({ after: read, limit: PAGE }))
    read = page.at(-1)?.position ?? head
    if (isBefore(head, read)) head = read
    yield* onProgress(read, head)
    return page
  })
  if (builder?.isLongEnough(head) !== true) yield* buildShadows([projection], nextPage)
  else yield* builder.build([[model]], head, () => Effect.void)
  let at = yield* withRetries(models.checkpoint(shadow))
  if (isBefore(read, at)) yield* onProgress(at, head)
  while (true) {
    const next = yield* withRetries(replayPage(projection, { models, model: shadow }, at))
    if (next !== undefined) {
      at = next
      if (isBefore(head, at)) head = at
      yield* onProgress(at, head)
      continue
    }
    if (yield* withRetries(models.promote(model))) return { model, position: at }
    // A shadow model never reaches a live model that is ahead of the log. Such a live model is invalid and is cleared.
    yield* withRetries(resetIfAhead(store, models, model))
    at = yield* withRetries(models.checkpoint(shadow))
    yield* Effect.sleep(rereadMillis)
  }
})

/** Between two reads of the log, while the live model is further than the events that could be read. */
const rereadMillis = 20
