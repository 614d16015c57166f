import { Data, Effect } from "effect"
import { isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { ReadModels } from "../../ports/read-models.ts"
import { looksAt, type Projection } from "./projection.ts"

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
    try: () => events.filter(({ stream }) => looksAt(projection, stream)).flatMap(projection.when),
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
