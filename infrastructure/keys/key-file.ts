import { closeSync, fstatSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { hostname } from "node:os"
import { dirname } from "node:path"

const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code

export const isMissing = (cause: unknown): boolean => hasCode(cause, "ENOENT")
const isThere = (cause: unknown): boolean => hasCode(cause, "EEXIST")

/** Opens a file, uses it and closes it. */
const within = <A>(file: string, flags: string, mode: number, use: (handle: number) => A): A => {
  const handle = openSync(file, flags, mode)
  try {
    return use(handle)
  } finally {
    closeSync(handle)
  }
}

/** A name outlives a power cut once its folder is on disk. */
const syncFolder = (folder: string): void => within(folder, "r", 0, fsyncSync)

const writeDraft = (draft: string, text: string): void => {
  // A crash may have left one; in a container the process id is the same at every start.
  rmSync(draft, { force: true })
  within(draft, "wx", OWNER_ONLY, (handle) => {
    writeSync(handle, text)
    fsyncSync(handle)
  })
}

/** Readable by its owner only. */
const OWNER_ONLY = 0o600

/** Its own for each process, also of several machines on one volume. */
const draftOf = (file: string): string => `${file}.${hostname()}.${process.pid}`

/**
 * Makes a key file, whole or not at all and on disk when this returns. One that is there stays: of processes that start
 * together one makes it.
 */
export const makeKeyFile = (file: string, text: string): void => {
  const draft = draftOf(file)
  writeDraft(draft, text)
  try {
    linkSync(draft, file)
  } catch (cause) {
    if (!isThere(cause)) throw cause
  }
  rmSync(draft)
  syncFolder(dirname(file))
}

/**
 * Writes a key file in place of an older one, of which nothing is to be left: it is written over once the new one is
 * there. That is as much as a program can do; what copies, snapshots and the cells of a flash disk remember is out of
 * its reach.
 */
export const replaceKeyFile = (file: string, text: string): void =>
  within(file, "r+", OWNER_ONLY, (old) => {
    const { size } = fstatSync(old)
    const draft = draftOf(file)
    writeDraft(draft, text)
    renameSync(draft, file)
    syncFolder(dirname(file))
    writeSync(old, new Uint8Array(size), 0, size, 0)
    fsyncSync(old)
  })
