import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { syncFolder } from "../../platform/atomic-file.ts"
import { attemptSync, failed, toBackupError } from "./errors.ts"
import { FOLDER_MODE } from "./files.ts"
import { isBackupFile, MANIFEST } from "./manifest.ts"
import { isArchive } from "./source.ts"

/** The destination of a backup. */
export interface Target {
  readonly path: string
  /** The folder that contains it. */
  readonly parent: string
  readonly isArchive: boolean
}

/**
 * The target of a backup. Its folder must exist, it must be outside the data folder, and its name must be free. With
 * `force` an existing backup of the name is replaced, but nothing else.
 */
export const targetAt = (out: string, dataDir: string, force: boolean) =>
  Effect.try({
    try: (): Target => {
      const path = resolve(out)
      const parent = dirname(path)
      // Fails when the folder does not exist, for example because a disk is not mounted.
      statSync(parent)
      if (!relative(resolve(dataDir), path).startsWith("..")) {
        throw failed(`--out ${out} is in the data folder: choose a place outside of it, best on another disk`)
      }
      const target: Target = { path, parent, isArchive: isArchive(path) }
      requireFree(target, force)
      return target
    },
    catch: (cause) => toBackupError(`--out ${out}`, cause)
  })

/** Throws unless the name is free, or `force` may free it. */
export const requireFree = ({ isArchive, path }: Target, force: boolean): void => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (isArchive ? !stat.isFile() : !stat.isDirectory()) {
    throw failed(`${path} exists and is not a ${isArchive ? "file" : "folder"}: choose another name`)
  }
  if (!isArchive) {
    const inside = readdirSync(path)
    if (inside.length === 0) return
    if (!inside.includes(MANIFEST) || !inside.every((name) => name === MANIFEST || isBackupFile(name))) {
      throw failed(
        `${path} contains files that are not part of a backup: choose a new folder, such as ${join(path, "sliptrail")}`
      )
    }
  }
  if (!force) throw failed(`${path} exists: choose another name, or replace it with --force`)
}

const draftName = (path: string): string => join(dirname(path), `.${basename(path)}.partial-${randomUUID()}`)

const isDraft = (name: string): boolean => /^\..+\.partial-[\da-f-]{36}$/u.test(name)

/** Drafts that interrupted backups have left in a folder, or that other backups are writing. */
export const draftsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).filter(isDraft).map((name) => join(folder, name))

/** A hidden path in the folder of the target. It is deleted when the scope closes. */
export const draftOf = ({ path }: Target) =>
  Effect.acquireRelease(
    Effect.sync(() => draftName(path)),
    // A terminated thread may still be writing there.
    (draft) => Effect.sync(() => rmSync(draft, { recursive: true, force: true, maxRetries: 5 }))
  )

export const makeFolder = (path: string) => attemptSync(path, () => mkdirSync(path, { mode: FOLDER_MODE }))

/** Renames a draft to the target and replaces a former backup. The target is on the disk when this returns. */
export const promote = (draft: string, target: Target, force: boolean) =>
  Effect.uninterruptible(attemptSync(target.path, () => replaceTarget(draft, target, force)))

const replaceTarget = (draft: string, target: Target, force: boolean): void => {
  const { isArchive, parent, path } = target
  requireFree(target, force)
  // A rename can replace only an empty folder.
  const former = isArchive ? undefined : moveAside(path)
  try {
    renameSync(draft, path)
  } catch (cause) {
    if (former !== undefined) renameSync(former, path)
    throw cause
  }
  syncFolder(parent)
  if (former !== undefined) rmSync(former, { recursive: true })
}

const moveAside = (folder: string): string | undefined => {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return undefined
  const former = draftName(folder)
  renameSync(folder, former)
  return former
}
