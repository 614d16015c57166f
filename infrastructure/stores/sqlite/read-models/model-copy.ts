import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import type { OpenModelCopy } from "../../../../ports/model-copy.ts"
import { ReadModels, ReadModelsError } from "../../../../ports/read-models.ts"
import { layerReadModelsEmbedded } from "./read-models.ts"
import { openSnapshot } from "./snapshot.ts"

/** Copies of read models in files of a folder, one for each log. Only one process may use the folder. */
export const modelCopyIn = (folder: string): OpenModelCopy =>
  Effect.fnUntraced(function* (firstEventId) {
    const file = join(folder, `models-copy-${firstEventId}.db`)
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
