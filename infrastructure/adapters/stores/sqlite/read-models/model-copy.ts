import { Context, Effect, Layer } from "effect"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { ModelBuilder } from "../../../../../ports/model-builder.ts"
import type { OpenModelCopy } from "../../../../../ports/model-copy.ts"
import { ReadModels, ReadModelsError } from "../../../../../ports/read-models.ts"
import { layerModelBuilder } from "./model-builder.ts"
import { layerReadModelsEmbedded } from "./read-models.ts"
import { openSnapshot } from "./snapshot.ts"

/** The log from which copies are built at once. */
export interface CopiedLog {
  /** The file of an embedded log. A log on a server is projected batch by batch. */
  readonly file: string
  /** As of the builder of embedded read models. */
  readonly leastEvents?: number
}

/** The file of the copy for the log whose first event has this id. */
export const copyFile = (folder: string, firstEventId: string): string => join(folder, `models-copy-${firstEventId}.db`)

/** Copies of read models in files of a folder, one for each log. Only one process may use the folder. */
export const modelCopyIn = (folder: string, log?: CopiedLog): OpenModelCopy =>
  Effect.fnUntraced(function* (firstEventId) {
    const file = copyFile(folder, firstEventId)
    yield* Effect.try({
      // Closed to other users from the beginning. SQLite gives its other files the mode of this one.
      try: () => closeSync(openSync(file, "a", 0o600)),
      catch: (cause) => new ReadModelsError({ operation: "open", reason: "unavailable", cause })
    })
    // The check would stop a process that serves requests.
    const models = layerReadModelsEmbedded({ file, isChecked: false })
    const services = yield* Layer.build(
      log === undefined ? models : layerModelBuilder({ ...log, log: log.file, file }).pipe(Layer.provideMerge(models))
    )
    const snapshot = (model: string) =>
      Effect.acquireRelease(
        Effect.try({
          try: () => openSnapshot(file, model),
          catch: (cause) => new ReadModelsError({ operation: "snapshot", reason: "unavailable", cause })
        }),
        ({ close }) => Effect.sync(close)
      )
    return { models: Context.get(services, ReadModels), snapshot, builder: Context.get(services, ModelBuilder) }
  })
