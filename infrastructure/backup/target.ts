import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, type Stats, statSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { isMissing, syncFolder } from "../atomic-file.ts"
import { cannotRun } from "../cli/exit.ts"
import { attemptNow, told } from "./failure.ts"
import { FOLDER_MODE } from "./files.ts"
import { isBackupFile, MANIFEST } from "./manifest.ts"
import { isArchive } from "./source.ts"

/** Where a backup goes. */
export interface Target {
  readonly path: string
  /** The folder around it. */
  readonly parent: string
  readonly isArchive: boolean
}

/**
 * The place of a backup, if one may be put there: in a folder that is there, outside of the data folder, under a name
 * that is free. With `force` a backup that has the name is replaced, and nothing else ever is.
 */
export const targetAt = (out: string, dataDir: string, force: boolean) =>
  Effect.try({
    try: (): Target => {
      const path = resolve(out)
      const parent = dirname(path)
      // Fails when it is not there: a disk that is not mounted is no place for a backup.
      statSync(parent)
      if (!relative(resolve(dataDir), path).startsWith("..")) {
        throw cannotRun(`--out ${out} lies in the data folder: choose a place outside of it, best on another disk`)
      }
      const target: Target = { path, parent, isArchive: isArchive(path) }
      requireFree(target, force)
      return target
    },
    catch: (cause) => told(`--out ${out}`, cause)
  })

/** Throws unless the name is free, or `force` may free it. */
export const requireFree = ({ isArchive, path }: Target, force: boolean): void => {
  const there = statOf(path)
  if (there === undefined) return
  if (isArchive ? !there.isFile() : !there.isDirectory()) {
    throw cannotRun(`${path} is there already, and is no ${isArchive ? "file" : "folder"}: choose another name`)
  }
  if (!isArchive) {
    const inside = readdirSync(path)
    if (inside.length === 0) return
    if (!inside.includes(MANIFEST) || !inside.every((name) => name === MANIFEST || isBackupFile(name))) {
      throw cannotRun(`${path} holds other things than a backup: name a new folder, such as ${join(path, "sliptrail")}`)
    }
  }
  if (!force) throw cannotRun(`${path} is there already: choose another name, or replace it with --force`)
}

const statOf = (path: string): Stats | undefined => {
  try {
    return lstatSync(path)
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

const draftName = (path: string): string => join(dirname(path), `.${basename(path)}.partial-${randomUUID()}`)

const isDraft = (name: string): boolean => /^\..+\.partial-[\da-f-]{36}$/u.test(name)

/** What backups that were killed have left in a folder, or others write there at the moment. */
export const draftsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).filter(isDraft).map((name) => join(folder, name))

/** A path beside the target that nobody takes for a backup. What is there is gone with the scope. */
export const draftOf = ({ path }: Target) =>
  Effect.acquireRelease(
    Effect.sync(() => draftName(path)),
    // A thread that was told to stop may still write there.
    (draft) => Effect.sync(() => rmSync(draft, { recursive: true, force: true, maxRetries: 5 }))
  )

export const makeFolder = (path: string) => attemptNow(path, () => mkdirSync(path, { mode: FOLDER_MODE }))

/** Gives a draft its name, in the place of a backup that has it if there is one. On the disk when it returns. */
export const promote = (draft: string, target: Target, force: boolean) =>
  Effect.uninterruptible(attemptNow(target.path, () => putInPlace(draft, target, force)))

const putInPlace = (draft: string, target: Target, force: boolean): void => {
  const { isArchive, parent, path } = target
  requireFree(target, force)
  // A folder takes the place of an empty one only.
  const former = isArchive ? undefined : setAside(path)
  try {
    renameSync(draft, path)
  } catch (cause) {
    if (former !== undefined) renameSync(former, path)
    throw cause
  }
  syncFolder(parent)
  if (former !== undefined) rmSync(former, { recursive: true })
}

const setAside = (folder: string): string | undefined => {
  if (statOf(folder) === undefined) return undefined
  const former = draftName(folder)
  renameSync(folder, former)
  return former
}
