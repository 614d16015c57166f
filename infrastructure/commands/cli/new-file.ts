import { Effect } from "effect"
import { realpathSync, rmSync, statSync } from "node:fs"
import { open, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { draftOf, syncFolder } from "../../platform/atomic-file.ts"
import { attemptOn, FILE_MODE, notAFile, notReplaced, type Target, toStandardOutput, writeAt } from "./export-target.ts"

/** Where a command writes a file that it makes from its beginning. */
export type NewFile = Pick<Target, "finish" | "name" | "write">

/**
 * Writes a file under the name of a draft, and gives it its own name at the end. When the scope closes before, nothing is
 * left. Only an empty file is replaced.
 */
const toNewFile = Effect.fnUntraced(function* (name: string) {
  const attempt = attemptOn(name)
  const found = yield* attempt(() => statSync(name, { throwIfNoEntry: false }))
  if (found?.isFile() === false) return yield* notAFile(name)
  if (found !== undefined && found.size > 0) {
    return yield* notReplaced(name, "this command writes the whole of a new file")
  }
  const file = found === undefined ? name : yield* attempt(() => realpathSync(name))
  const draft = draftOf(file)
  const handle = yield* Effect.acquireRelease(
    attempt(() => {
      // A crash can leave a draft behind. In a container the process id is the same at every start.
      rmSync(draft, { force: true })
      return open(draft, "wx", FILE_MODE)
    }),
    (handle) =>
      Effect.ignore(attempt(async () => {
        await handle.close()
        rmSync(draft, { force: true })
      }))
  )
  let size = 0
  const newFile: NewFile = {
    name,
    write: Effect.fnUntraced(function* (lines) {
      const bytes = Buffer.from(lines)
      yield* attempt(() => writeAt(handle, bytes, size))
      size += bytes.length
      return true
    }),
    finish: attempt(async () => {
      await handle.datasync()
      await rename(draft, file)
      syncFolder(dirname(file))
    })
  }
  return newFile
})

/** A new file, or standard output without a name. */
export const newFileOr = (file: string | undefined) => file === undefined ? toStandardOutput : toNewFile(file)
