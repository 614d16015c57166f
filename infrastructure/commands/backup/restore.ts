import { Clock, DateTime, Effect } from "effect"
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { syncFolder, writeFileAtomic } from "../../platform/atomic-file.ts"
import { lockDataFolder, unfinishedRestoreFile } from "../../runtime/data-folder.ts"
import { faultsOfContent, readFiles } from "./check.ts"
import { attemptSync, Damaged, failed, refuse, type Report } from "./errors.ts"
import { FOLDER_MODE, MODE, requireSpace } from "./files.ts"
import { findMasterKey, opensLog, slipKeysIn } from "./keys.ts"
import { bytesOf, holds, LOG, type Manifest, MASTER_KEY, secretKeys, SUBJECT_KEYS } from "./manifest.ts"
import type { BackupSettings } from "./settings.ts"
import { openBackup } from "./source.ts"
import { makeFolder } from "./target.ts"

const PARTIAL = "restore.partial"
const FORMER = /^before-restore-/u

/** Files of locks, disks and former restores, which the service does not use. */
const isNotData = (name: string): boolean =>
  name === PARTIAL || name === "restore.unfinished" || name === "lost+found" || FORMER.test(name)
  || name.startsWith("lock.db")

/** The names of the data files in a folder. */
const dataIn = (folder: string) =>
  attemptSync(folder, () => readdirSync(folder).filter((name) => !isNotData(name)).sort())

/**
 * A folder for the restored files inside the data folder, so that both are on one disk. It is deleted when the scope
 * closes. A folder that an interrupted restore left is deleted first.
 */
const partialIn = Effect.fnUntraced(function* (folder: string) {
  const partial = join(folder, PARTIAL)
  const remove = () => rmSync(partial, { recursive: true, force: true, maxRetries: 5 })
  yield* Effect.acquireRelease(
    Effect.andThen(attemptSync(partial, remove), makeFolder(partial)),
    () => Effect.sync(remove)
  )
  return partial
})

interface Replacement {
  readonly folder: string
  readonly partial: string
  /** Names of files in the partial folder that are moved to the data folder. */
  readonly names: ReadonlyArray<string>
  /** Names of files in the data folder that are moved aside. */
  readonly former: ReadonlyArray<string>
}

/**
 * Moves former files aside to a new folder and the restored files to the data folder. Returns the new folder; undefined
 * when there were no former files. A mark file keeps every service from starting until all files are moved.
 */
const replaceFiles = Effect.fnUntraced(function* ({ folder, former, names, partial }: Replacement) {
  const now = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
  const aside = former.length === 0 ? undefined : join(folder, `before-restore-${now.replaceAll(":", "-")}`)
  const moveAll = (from: string, to: string, names: ReadonlyArray<string>): void => {
    for (const name of names) renameSync(join(from, name), join(to, name))
    syncFolder(to)
  }
  const work = (): void => {
    writeFileAtomic(unfinishedRestoreFile(folder), "a restore was interrupted here\n", MODE)
    if (aside !== undefined) {
      mkdirSync(aside, { mode: FOLDER_MODE })
      moveAll(folder, aside, former)
    }
    moveAll(partial, folder, names)
    rmSync(partial, { recursive: true })
    rmSync(unfinishedRestoreFile(folder))
    syncFolder(folder)
  }
  yield* Effect.uninterruptible(attemptSync(`${folder} is only partly restored`, work))
  return aside
})

interface RestoreOptions {
  readonly from: string
  /** Move the files in the data folder aside. */
  readonly force: boolean
}

/** Fails unless the keys of the log are in the backup or in this installation. */
const requireKeys = Effect.fnUntraced(function* (manifest: Manifest, settings: BackupSettings) {
  const { master, slips } = manifest.keys
  const [file, slipsFile] = [join(settings.dataDir, MASTER_KEY), slipKeysFile(settings)]
  const isSet = settings.masterKey !== undefined
  const installed = yield* findMasterKey(settings)
  if (master !== null && installed?.name !== master && (isSet || !holds(manifest, MASTER_KEY))) {
    return yield* refuse(
      installed === undefined
        ? `the backup contains no keys: put its master key ${master} into ${file}, or set MASTER_KEY`
        : `${isSet ? "MASTER_KEY" : file} is ${installed.name}, but the backup was sealed with ${master}: use that key`
    )
  }
  if (slips === null || holds(manifest, SUBJECT_KEYS)) return
  const installedSlips = yield* slipKeysIn(slipsFile, installed)
  if (installedSlips === slips) return
  return yield* refuse(
    installedSlips === undefined
      ? `the backup contains no keys: put its slip keys ${slips} into ${slipsFile}`
      : `${slipsFile} contains ${installedSlips}, but the backup was sealed with ${slips}: use those keys`
  )
})

const slipKeysFile = ({ dataDir, subjectKeysFile }: BackupSettings): string =>
  subjectKeysFile ?? join(dataDir, SUBJECT_KEYS)

/**
 * The file of slip keys to use. If the installed keys belong to the same key ring as those of the backup, they stay: keys
 * that were destroyed since the backup stay destroyed.
 */
const slipKeysToUse = Effect.fnUntraced(function* (manifest: Manifest, partial: string, keys: BackupSettings) {
  const [installed, restored] = [slipKeysFile(keys), join(partial, SUBJECT_KEYS)]
  if (!holds(manifest, SUBJECT_KEYS)) return { file: installed, areRestored: false }
  const master = yield* findMasterKey(keys)
  const name = yield* slipKeysIn(installed, master)
  const areRestored = name === undefined || name !== (yield* slipKeysIn(restored, master))
  return { file: areRestored ? restored : installed, areRestored }
})

const notEmpty = (folder: string, names: ReadonlyArray<string>) =>
  failed(
    `${folder} is not empty, it contains ${names.slice(0, 4).join(", ")}${names.length > 4 ? " and more" : ""}: `
      + "choose another folder with --data-dir, or move the files aside with --force"
  )

/** Restores a backup into the data folder, which no service may have open. Deletes no data. */
export const restoreBackup = Effect.fnUntraced(function* (
  settings: BackupSettings,
  { force, from }: RestoreOptions,
  report: Report
) {
  const folder = settings.dataDir
  const source = yield* openBackup(from)
  const { manifest } = source
  if (source.folder !== undefined && resolve(source.folder) === resolve(folder)) {
    return yield* failed(`${from} is the data folder itself: choose another folder with --data-dir`)
  }
  yield* requireKeys(manifest, settings)
  yield* lockDataFolder(folder)
  // Keys that are not in the backup stay: the operator put them there for this restore.
  const keptNames: ReadonlyArray<string> = secretKeys.filter((name) => !holds(manifest, name))
  const existing = (yield* dataIn(folder)).filter((name) => !keptNames.includes(name))
  const conflicting = existing.filter((name) => name !== SUBJECT_KEYS)
  if (conflicting.length > 0 && !force) return yield* notEmpty(folder, conflicting)

  const partial = yield* partialIn(folder)
  yield* attemptSync(folder, () => requireSpace(folder, bytesOf(manifest)))
  const faults = yield* readFiles(source, from, { folder: partial, report, text: "copying" })
  yield* report("checking the copy")
  const allFaults = faults.length > 0 ? faults : yield* faultsOfContent(manifest, partial)
  if (allFaults.length > 0) return yield* new Damaged({ message: allFaults.join("; ") })

  const keys = { ...settings, dataDir: holds(manifest, MASTER_KEY) ? partial : folder }
  const slipKeys = yield* slipKeysToUse(manifest, partial, { ...keys, subjectKeysFile: slipKeysFile(settings) })
  const isSealed = manifest.keys.master !== null || manifest.keys.slips !== null
  if (isSealed && (yield* opensLog(join(partial, LOG), { ...keys, subjectKeysFile: slipKeys.file })) === false) {
    return yield* refuse("the keys do not open the sealed data of the log in the backup")
  }
  const former = existing.filter((name) => name !== SUBJECT_KEYS || slipKeys.areRestored)
  if (former.length > 0 && !force) return yield* notEmpty(folder, former)
  const restored = manifest.files.map(({ name }) => name)
  const names = restored.filter((name) => name !== SUBJECT_KEYS || slipKeys.areRestored)
  return { manifest, movedTo: yield* replaceFiles({ folder, partial, names, former }), slipKeys }
})
