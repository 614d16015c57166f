import { Context, Effect, Layer, Scope, Exit } from "effect"
import { join } from "node:path"
import { EventStore, type RecordedEvent } from "../../application/ports/event-store.ts"
import { ReadModels, type Write } from "../../application/ports/read-models.ts"
import { layerReadModelsEmbedded } from "../../infrastructure/readmodels/embedded/read-models.ts"
import type { Projection } from "../../projections/projection.ts"
import { layerProjector, Projector } from "../../projections/projector.ts"
import { layerEventStoreMemory } from "../support/memory-event-store.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until-done.ts"

/** Jobs by state and the due ones; exercises all kinds of writes. */
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

/** Every event of every stream, by its position. */
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

/** An empty log and empty read models in a folder that goes with the scope. */
export const layerGiven = Layer.merge(
  Layer.fresh(layerEventStoreMemory),
  Layer.unwrap(Effect.map(temporaryFolder, (folder) => layerReadModelsEmbedded({ file: join(folder, "models.db") })))
)

/** A projector that runs until it is stopped, or the test ends. */
export const startProjector = Effect.fnUntraced(function*(projections: ReadonlyArray<Projection>) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const context = yield* Layer.buildWithScope(Layer.fresh(layerProjector(projections)), scope)
  const projector = Context.get(context, Projector)
  return { ...projector, stop: Scope.close(scope, Exit.void) }
})

/** Lets time go on until a read model stands where the log ends now. */
export const caughtUp = Effect.fnUntraced(function*(model: string) {
  const models = yield* ReadModels
  const head = yield* (yield* EventStore).head
  yield* until(Effect.map(models.checkpoint(model), ({ commit }) => commit >= head.commit))
})

export const dump = (model: string) => ReadModels.use((models) => models.dump(model))
