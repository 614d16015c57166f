import { Context, Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ReadModels } from "../../ports/read-models.ts"
import { layerReadModelsEmbedded } from "../stores/sqlite/read-models/read-models.ts"

const scratchFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sliptrail-compare-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Empty read models of one's own, to be filled and thrown away: they are gone with the scope. */
export const scratchModels = Effect.gen(function* () {
  const file = join(yield* scratchFolder, "fresh.db")
  return Context.get(yield* Layer.build(layerReadModelsEmbedded({ file })), ReadModels)
})
