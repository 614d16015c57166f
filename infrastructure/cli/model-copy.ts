import { Context, Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { ReadModels } from "../../application/ports/read-models.ts"
import { layerReadModelsEmbedded, layerReadModelsEmbeddedReadOnly } from "../readmodels/embedded/read-models.ts"
import { modelsFile } from "../runtime/data-folder.ts"
import { cannotRun } from "./exit.ts"

const scratchFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sliptrail-compare-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** One moment of a file that another process may be writing to: SQLite copies it within one transaction. */
const copy = (from: string, to: string) =>
  Effect.try({
    try: () => {
      const source = new DatabaseSync(from, { readOnly: true })
      try {
        source.exec("PRAGMA busy_timeout=5000")
        source.prepare("VACUUM INTO ?").run(to)
      } finally {
        source.close()
      }
    },
    catch: (cause) => cannotRun(`the read models in ${from} cannot be copied: ${String(cause)}`)
  })

/**
 * The read models of a data folder as they are at this moment, and empty ones beside them. Both are temporary: they
 * are gone with the scope, which closes them first.
 */
export const liveAndFresh = Effect.fnUntraced(function*(dataDir: string) {
  const scratch = yield* scratchFolder
  const copied = join(scratch, "live.db")
  yield* copy(modelsFile(dataDir), copied)
  const live = yield* Layer.build(layerReadModelsEmbeddedReadOnly({ file: copied }))
  const fresh = yield* Layer.build(layerReadModelsEmbedded({ file: join(scratch, "fresh.db") }))
  return { live: Context.get(live, ReadModels), fresh: Context.get(fresh, ReadModels) }
})
