import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname } from "node:path"

const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code

/** Whether `node:fs` failed because the file does not exist. */
export const isMissing = (cause: unknown): boolean => hasCode(cause, "ENOENT")

/** Opens a file, uses it and closes it. */
export const withFile = <A>(file: string, flags: string, mode: number, use: (handle: number) => A): A => {
  const handle = openSync(file, flags, mode)
  try {
    return use(handle)
  } finally {
    closeSync(handle)
  }
}

/** Flushes a folder: a new name survives a power cut only after this. */
export const syncFolder = (folder: string): void => withFile(folder, "r", 0, fsyncSync)

/** The name of a draft in the same folder. Unique to each process, also when several machines share one volume. */
export const draftOf = (file: string): string => `${file}.${hostname()}.${process.pid}`

/** Writes the text to a draft, flushes it, and calls `publish` to rename it. */
const viaDraft = (file: string, text: string, mode: number, publish: (draft: string) => void): void => {
  const draft = draftOf(file)
  // A crash can leave a draft behind. In a container the process id is the same at every start.
  rmSync(draft, { force: true })
  try {
    withFile(draft, "wx", mode, (handle) => {
      writeFileSync(handle, text)
      fsyncSync(handle)
    })
    publish(draft)
  } finally {
    rmSync(draft, { force: true })
  }
  syncFolder(dirname(file))
}

/**
 * Replaces or creates a file. After a crash the file has its old content or all of the new one. The new content is on
 * disk when this returns. When `check` throws, the file stays as it is. Throws like `node:fs`.
 */
export const writeFileAtomic = (file: string, text: string, mode: number, check?: () => void): void =>
  viaDraft(file, text, mode, (draft) => {
    check?.()
    renameSync(draft, file)
  })

/**
 * Creates a file with all of its content, on disk when this returns. An existing file stays as it is: when several
 * processes start together, one of them creates the file. Throws like `node:fs`.
 */
export const createFileAtomic = (file: string, text: string, mode: number): void =>
  viaDraft(file, text, mode, (draft) => {
    try {
      linkSync(draft, file)
    } catch (cause) {
      if (!hasCode(cause, "EEXIST")) throw cause
    }
  })
