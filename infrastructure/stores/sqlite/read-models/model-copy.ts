import { Context, Effect, Layer } from "effect"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import type { OpenModelCopy } from "../../../../ports/model-copy.ts"
import { ReadModels, ReadModelsError } from "../../../../ports/read-models.ts"
import { layerReadModelsEmbedded } from "./read-models.ts"
import { openSnapshot } from "./snapshot.ts"

/** Copies of read models in files of a folder, one for each log. Only one process may use the folder. */
export const modelCopyIn = (folder: string): OpenModelCopy =>
  Effect.fnUntraced(function* (firstEventId) {
    const file = join(folder, `models-copy-${firstEventId}.db`)
    yield* Effect.try({
      // Closed to other users from the beginning. SQLite gives its other files the mode of this one.
      try: () => closeSync(openSync(file, "a", 0o600)),
      catch: (cause) => new ReadModelsError({ operation: "open", reason: "unavailable", cause })
    })
    // The check would stop a process that serves requests.
    const models = Context.get(yield* Layer.build(layerReadModelsEmbedded({ file, isChecked: false })), ReadModels)
    const snapshot = (model: string) =>
      Effect.acquireRelease(
        Effect.try({
          try: () => openSnapshot(file, model),
          catch: (cause) => new ReadModelsError({ operation: "snapshot", reason: "unavailable", cause })
        }),
        ({ close }) => Effect.sync(close)
      )
    return { models, snapshot }
  })
