import { Effect } from "effect"
import { join, resolve } from "node:path"
import { lockDataFolder } from "../runtime/data-folder.ts"
import { answerIsNo, cannotRun } from "../cli/exit.ts"
import type { Progress } from "../cli/output.ts"
import { faultsOfContent, readFiles } from "./check.ts"
import { attemptNow, Damaged } from "./failure.ts"
import { requireRoom } from "./files.ts"
import { keyAtHand, opensLog, slipKeysIn } from "./keys.ts"
import { bytesOf, holds, LOG, type Manifest, MASTER_KEY, secretKeys, SUBJECT_KEYS } from "./manifest.ts"
import type { BackupSettings } from "./settings.ts"
import { openBackup } from "./source.ts"
import { dataIn, partialIn, switchOver } from "./switch.ts"

export interface RestoreOptions {
  readonly from: string
  /** Move what lies in the data folder aside. */
  readonly force: boolean
}

/** Fails unless the keys that a log was sealed with come with its backup or are here already. */
const requireKeys = Effect.fnUntraced(function* (manifest: Manifest, settings: BackupSettings) {
  const { master, slips } = manifest.keys
  const [file, slipsFile] = [join(settings.dataDir, MASTER_KEY), slipKeysFile(settings)]
  const isSet = settings.masterKey !== undefined
  const here = yield* keyAtHand(settings)
  if (master !== null && here?.name !== master && (isSet || !holds(manifest, MASTER_KEY))) {
    return yield* answerIsNo(
      here === undefined
        ? `the backup holds no keys: put its master key ${master} into ${file}, or set MASTER_KEY`
        : `${isSet ? "MASTER_KEY" : file} is ${here.name}, and the backup was sealed with ${master}: put that one there`
    )
  }
  if (slips === null || holds(manifest, SUBJECT_KEYS)) return
  const slipsHere = yield* slipKeysIn(slipsFile, here)
  if (slipsHere === slips) return
  return yield* answerIsNo(
    slipsHere === undefined
      ? `the backup holds no keys: put its keys of slips ${slips} into ${slipsFile}`
      : `${slipsFile} holds ${slipsHere}, and the backup was sealed with ${slips}: put those there`
  )
})

const slipKeysFile = ({ dataDir, subjectKeysFile }: BackupSettings): string =>
  subjectKeysFile ?? join(dataDir, SUBJECT_KEYS)

/**
 * Which keys of slips are to be in force: those that are here already, if they are the same as in the backup. They are
 * the same save those that were destroyed since: what was forgotten stays forgotten.
 */
const slipKeysToUse = Effect.fnUntraced(function* (manifest: Manifest, partial: string, keys: BackupSettings) {
  const [here, brought] = [slipKeysFile(keys), join(partial, SUBJECT_KEYS)]
  if (!holds(manifest, SUBJECT_KEYS)) return { file: here, areBrought: false }
  const master = yield* keyAtHand(keys)
  const name = yield* slipKeysIn(here, master)
  const areBrought = name === undefined || name !== (yield* slipKeysIn(brought, master))
  return { file: areBrought ? brought : here, areBrought }
})

const refuseFull = (folder: string, names: ReadonlyArray<string>) =>
  cannotRun(
    `${folder} is not empty, there is ${names.slice(0, 4).join(", ")}${names.length > 4 ? " and more" : ""}: `
      + "name another folder with --data-dir, or have all of it moved aside with --force"
  )

/** Puts a backup into the data folder of some settings, which no service may hold. What lies there is not deleted. */
export const putBack = Effect.fnUntraced(function* (
  settings: BackupSettings,
  { force, from }: RestoreOptions,
  progress: Progress
) {
  const folder = settings.dataDir
  const source = yield* openBackup(from)
  const { manifest } = source
  if (source.folder !== undefined && resolve(source.folder) === resolve(folder)) {
    return yield* cannotRun(`${from} is the backup itself: name another folder with --data-dir, so that it stays one`)
  }
  yield* requireKeys(manifest, settings)
  yield* lockDataFolder(folder)
  // Keys that the backup does not bring stay where they are: whoever has them put them there for it.
  const staying: ReadonlyArray<string> = secretKeys.filter((name) => !holds(manifest, name))
  const inTheWay = (yield* dataIn(folder)).filter((name) => !staying.includes(name))
  const certainly = inTheWay.filter((name) => name !== SUBJECT_KEYS)
  if (certainly.length > 0 && !force) return yield* refuseFull(folder, certainly)

  const partial = yield* partialIn(folder)
  yield* attemptNow(folder, () => requireRoom(folder, bytesOf(manifest)))
  yield* progress.report("copying")
  const faults = yield* readFiles(source, from, partial)
  yield* progress.report("checking what was copied")
  const all = faults.length > 0 ? faults : yield* faultsOfContent(manifest, partial)
  if (all.length > 0) return yield* new Damaged({ message: all.join("; ") })

  const keys = { ...settings, dataDir: holds(manifest, MASTER_KEY) ? partial : folder }
  const slipKeys = yield* slipKeysToUse(manifest, partial, { ...keys, subjectKeysFile: slipKeysFile(settings) })
  const isSealed = manifest.keys.master !== null || manifest.keys.slips !== null
  if (isSealed && (yield* opensLog(join(partial, LOG), { ...keys, subjectKeysFile: slipKeys.file })) === false) {
    return yield* answerIsNo("the keys do not open what the log of the backup has sealed")
  }
  const former = inTheWay.filter((name) => name !== SUBJECT_KEYS || slipKeys.areBrought)
  if (former.length > 0 && !force) return yield* refuseFull(folder, former)
  const brought = manifest.files.map(({ name }) => name)
  const names = brought.filter((name) => name !== SUBJECT_KEYS || slipKeys.areBrought)
  return { manifest, movedTo: yield* switchOver({ folder, partial, names, former }), slipKeys }
})
