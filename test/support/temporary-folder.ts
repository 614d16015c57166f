import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder that is removed with the scope, with all its content. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sliptrail-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
