import { Context, Effect, Exit, Layer, Scope } from "effect"
import { beginning, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { Leases } from "../../../ports/leases.ts"
import { ReadModels, type Write } from "../../../ports/read-models.ts"
import type { Projection } from "../../../projections/engine/projection.ts"
import { layerProjector, Projector } from "../../../projections/engine/projector.ts"
import { naiveDump, naiveModel } from "../../support/naive-model.ts"
import { appendEvent } from "../../support/event-fixtures.ts"
import { until } from "../../support/advance-clock.ts"

/** Jobs by state, and the due jobs. It uses every kind of write. */
export const jobs: Projection = {
  name: "jobs",
  version: 1,
  streams: ["job-"],
  when: ({ data, revision, stream, type }): ReadonlyArray<Write> => {
    switch (type) {
      case "Enqueued":
        return [
          { _tag: "SetFields", table: "jobs", key: stream, fields: { state: "pending", at: data["at"] ?? null } },
          { _tag: "AddMember", set: "due", member: stream, score: Number(data["at"]) }
        ]
      case "Attempted":
        return [
          { _tag: "SetFields", table: "jobs", key: stream, fields: { attempts: revision } },
          { _tag: "AddMember", set: "due", member: stream, score: Number(data["at"]) }
        ]
      case "Ended":
        return [
          { _tag: "SetFields", table: "jobs", key: stream, fields: { state: "ended" } },
          { _tag: "RemoveMember", set: "due", member: stream }
        ]
      case "Forgotten":
        return [{ _tag: "DeleteRow", table: "jobs", key: stream }, { _tag: "RemoveMember", set: "due", member: stream }]
      default:
        return []
    }
  }
}

/** Every event of every stream, ordered by position. */
export const trail: Projection = {
  name: "trail",
  version: 2,
  streams: [""],
  when: (event: RecordedEvent) => [{
    _tag: "AddMember",
    set: "all",
    member: `${event.stream}#${event.revision}`,
    score: Number(event.position.commit)
  }]
}

/** Leases that every projector holds at the same time, as after a pause. */
export const leasesAlwaysHeld = Leases.of({ whileHolding: (_, run) => run })

/** A projector that runs until it is stopped or the test ends. */
export const startProjector = Effect.fnUntraced(function* (
  projections: ReadonlyArray<Projection>,
  retentionMillis = Infinity
) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const context = yield* Layer.buildWithScope(Layer.fresh(layerProjector(projections, { retentionMillis })), scope)
  const projector = Context.get(context, Projector)
  return { ...projector, stop: Scope.close(scope, Exit.void) }
})

/** Advances the clock until a read model has reached the current head of the log. */
export const caughtUp = Effect.fnUntraced(function* (model: string) {
  const models = yield* ReadModels
  const head = yield* (yield* EventStore).head
  yield* until(Effect.map(models.checkpoint(model), ({ commit }) => commit >= head.commit))
})

/** The lines of a read model. */
export const dump = (model: string) => ReadModels.use((models) => Effect.map(models.dump(model), ({ lines }) => lines))

/** Appends events of a few jobs, in a fixed order of types. The events depend only on the head of the log. */
export const appendSome = Effect.fnUntraced(function* (count: number) {
  const store = yield* EventStore
  for (let n = 0; n < count; n++) {
    const position = Number((yield* store.head).commit)
    const type = ["Enqueued", "Attempted", "Ended", "Enqueued", "Forgotten"][position % 5] ?? "Enqueued"
    yield* appendEvent(`job-${(position * 7) % 23}`, type, { at: position })
  }
})

/** The dump that one replay of the log, or of its first events, gives. */
export const replayed = Effect.fnUntraced(function* (projection: Projection, first = Infinity) {
  const events = yield* EventStore.use((store) => store.readAll({ after: beginning, limit: first }))
  const writes: ReadonlyArray<Write> = events
    .filter(({ stream }) => projection.streams.some((prefix) => stream.startsWith(prefix)))
    .flatMap((event) => projection.when(event))
  return naiveDump(naiveModel(writes))
})
