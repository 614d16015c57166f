import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { lockDataFolder } from "../../runtime/data-folder.ts"
import { answerIsNo, cannotRun } from "../exit.ts"
import type { Progress } from "../progress.ts"
import { faultsOfContent, readFiles } from "./check.ts"
import { attemptNow, Damaged } from "./failure.ts"
import { requireRoom } from "./files.ts"
import { keyAtHand, opensLog, ringOf } from "./keys.ts"
import { bytesOf, holds, LOG, type Manifest, MASTER_KEY, SIGNING_KEY, SUBJECT_KEYS } from "./manifest.ts"
import type { BackupSettings } from "./settings.ts"
import { openBackup } from "./source.ts"
import { dataIn, partialIn, switchOver } from "./switch.ts"

export interface RestoreOptions {
  readonly from: string
  /** Move what lies in the data folder aside. */
  readonly force: boolean
}

/** Fails unless the master key of a backup comes with it or is here already. */
const requireKey = Effect.fnUntraced(function*(manifest: Manifest, settings: BackupSettings) {
  const { keyFingerprint: name } = manifest
  const isSet = settings.masterKey !== undefined
  if (name === null || (!isSet && holds(manifest, MASTER_KEY))) return
  const atHand = yield* keyAtHand(settings)
  if (atHand?.name === name) return
  const file = join(settings.dataDir, MASTER_KEY)
  if (atHand === undefined) {
    return yield* answerIsNo(`the backup holds no key: put its master key ${name} into ${file}, or set MASTER_KEY`)
  }
  return yield* answerIsNo(
    `${isSet ? "MASTER_KEY" : file} is ${atHand.name}, and the backup was sealed with ${name}: put that one there`
  )
})

/** Keys that lie in the data folder stay there when the backup brings none: whoever has them put them there for it. */
const keysThatStay = (manifest: Manifest): ReadonlyArray<string> =>
  ([MASTER_KEY, SIGNING_KEY] as const).filter((name) => !holds(manifest, name))

/**
 * Whether the keys of slips in a file that is here already are those of the backup. Then it is the one to go on with:
 * it has those no more that were destroyed since, and what was forgotten stays forgotten.
 */
const areSameSubjectKeys = Effect.fnUntraced(function*(here: string, brought: string, settings: BackupSettings) {
  const key = existsSync(here) && existsSync(brought) ? yield* keyAtHand(settings) : undefined
  if (key === undefined) return false
  const ring = yield* ringOf(brought, key)
  return ring !== undefined && ring === (yield* ringOf(here, key))
})

const refuseFull = (folder: string, names: ReadonlyArray<string>) =>
  cannotRun(
    `${folder} is not empty, there is ${names.slice(0, 4).join(", ")}${names.length > 4 ? " and more" : ""}: ` +
      "name another folder with --data-dir, or have all of it moved aside with --force"
  )

/** Puts a backup into the data folder of some settings, which no service may hold. What lies there is not deleted. */
export const putBack = Effect.fnUntraced(function*(
  settings: BackupSettings,
  { force, from }: RestoreOptions,
  progress: Progress
) {
  const folder = settings.dataDir
  const source = yield* openBackup(from)
  const { manifest } = source
  yield* requireKey(manifest, settings)
  yield* lockDataFolder(folder)
  const staying = keysThatStay(manifest)
  const inTheWay = (yield* dataIn(folder)).filter((name) => !staying.includes(name))
  const certainly = inTheWay.filter((name) => name !== SUBJECT_KEYS)
  if (certainly.length > 0 && !force) return yield* refuseFull(folder, certainly)

  const partial = yield* partialIn(folder)
  yield* attemptNow(folder, () => requireRoom(folder, bytesOf(manifest)))
  yield* progress.say("copying")
  const faults = yield* readFiles(source, from, partial)
  yield* progress.say("checking what was copied")
  const all = faults.length > 0 ? faults : yield* faultsOfContent(manifest, partial)
  if (all.length > 0) return yield* new Damaged({ message: all.join("; ") })

  const keys = { ...settings, dataDir: holds(manifest, MASTER_KEY) ? partial : folder }
  const [here, brought] = [settings.subjectKeysFile ?? join(folder, SUBJECT_KEYS), join(partial, SUBJECT_KEYS)]
  const isSame = yield* areSameSubjectKeys(here, brought, keys)
  if (manifest.keyFingerprint !== null) {
    const subjectKeysFile = isSame || settings.subjectKeysFile !== undefined && existsSync(here) ? here : brought
    const isOwnKey = yield* opensLog(join(partial, LOG), { ...keys, subjectKeysFile })
    if (isOwnKey === false) return yield* answerIsNo("the keys do not open what the log of the backup has sealed")
  }
  const former = inTheWay.filter((name) => !isSame || join(folder, name) !== here)
  if (former.length > 0 && !force) return yield* refuseFull(folder, former)
  const names = manifest.files.map(({ name }) => name).filter((name) => !isSame || name !== SUBJECT_KEYS)
  return { manifest, movedTo: yield* switchOver({ folder, partial, names, former }) }
})
