import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** A name outlives a power cut once its folder is on disk. */
export const syncFolder = (folder: string): void => {
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Puts a text into a file: after a crash there is the whole of it, or what was there before. Throws like `node:fs`. */
export const writeWhole = (file: string, text: string, mode: number): void => {
  const draft = `${file}.${process.pid}`
  // A crash may have left one; in a container the process id is the same at every start.
  rmSync(draft, { force: true })
  try {
    const handle = openSync(draft, "wx", mode)
    try {
      writeFileSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
  syncFolder(dirname(file))
}
