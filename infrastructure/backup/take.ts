import { Clock, DateTime, Effect } from "effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { pipeline, Readable } from "node:stream"
import { constants, createGzip } from "node:zlib"
import { syncFolder } from "../atomic-file.ts"
import { eventsFile, requireData } from "../runtime/data-folder.ts"
import { subjectKeysFile } from "../runtime/keys.ts"
import { version } from "../runtime/version.ts"
import { answerIsNo, cannotRun } from "../cli/exit.ts"
import type { Progress } from "../cli/output.ts"
import { faultsOfContent, headOf, readFiles } from "./check.ts"
import { attempt, attemptNow } from "./failure.ts"
import { digest, requireRoom, writeText } from "./files.ts"
import { type KeyAtHand, keyAtHand, keyNamesOf, opensLog, slipKeysIn } from "./keys.ts"
import { copyLog } from "./log.ts"
import { LOG, makeManifest, MANIFEST, type Manifest, manifestText, MASTER_KEY } from "./manifest.ts"
import { takenLog, takeProofs, takeSecretKeys } from "./parts.ts"
import type { BackupSettings } from "./settings.ts"
import { isCompressed, openBackup, type Source } from "./source.ts"
import { draftOf, draftsIn, makeFolder, promote, type Target, targetAt } from "./target.ts"
import { type Entry, pack } from "./tar.ts"

export interface BackupOptions {
  readonly out: string
  readonly withKeys: boolean
  /** Replace a backup of that name. */
  readonly force: boolean
}

/** What the files of the log take on the disk: the log itself, and what waits in front of it to be written there. */
const sizeOfLog = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, part) => sum + (existsSync(part) ? statSync(part).size : 0), 0)

const percent = (done: number, of: number): string => `${of === 0 ? 100 : Math.floor(100 * done / of)} %`

/** Puts all parts of a backup into a new folder, the manifest last. */
const fill = Effect.fnUntraced(function* (
  folder: string,
  settings: BackupSettings,
  { key, withKeys }: { readonly key: KeyAtHand | undefined; readonly withKeys: boolean },
  progress: Progress
) {
  const createdAt = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
  const proofs = yield* takeProofs(folder, settings)
  const file = join(folder, LOG)
  const contents = yield* copyLog(
    eventsFile(settings.dataDir),
    file,
    (done, of) => progress.report(`copying the log, ${percent(done, of)}`)
  )
  const keys = key === undefined || !withKeys ? [] : yield* takeSecretKeys(folder, settings, key)
  const names = yield* keyNamesOf(file)
  const manifest = makeManifest({
    createdAt,
    sliptrail: version,
    log: { format: contents.format, head: headOf(contents), events: contents.events },
    keys: { ...names, slips: (yield* slipKeysIn(subjectKeysFile(settings), key)) ?? names.slips },
    files: [yield* takenLog(folder), ...keys, ...proofs]
  })
  yield* attempt(folder, (signal) => writeText(join(folder, MANIFEST), manifestText(manifest), signal))
  yield* attemptNow(folder, () => syncFolder(folder))
})

/** Reads a backup again as it lies there, before it gets its name. */
const verified = Effect.fnUntraced(function* (path: string, isLogToo: boolean) {
  const source = yield* openBackup(path)
  const faults = yield* readFiles(source, path)
  const all = faults.length > 0 || !isLogToo ? faults : yield* faultsOfContent(source.manifest, path)
  if (all.length > 0) return yield* answerIsNo(`the backup is not sound and was thrown away: ${all.join("; ")}`)
  return source
})

/** A manifest and the files that it names, as they go into an archive. */
const inArchive = async function* (manifest: Manifest, source: Source): AsyncGenerator<Entry> {
  const text = new TextEncoder().encode(manifestText(manifest))
  yield { name: MANIFEST, bytes: text.length, chunks: Readable.from([text]) }
  yield* source.entries()
}

const packed = Effect.fnUntraced(function* (source: Source, target: Target) {
  const archive = yield* draftOf(target)
  const { manifest } = source
  yield* attempt(target.path, (signal) => {
    const bytes = pack(inArchive(manifest, source), Date.parse(manifest.createdAt))
    // A service runs beside it: rather a larger file than a busy processor.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED })
    return digest(isCompressed(target.path) ? pipeline(bytes, gzip, () => undefined) : bytes, signal, archive)
  })
  yield* verified(archive, false)
  return archive
})

/**
 * Writes a backup of the data folder of some settings, also beside a running service, reads it again and only then
 * gives it its name. Nothing is left of one that fails.
 */
export const takeBackup = Effect.fnUntraced(function* (
  settings: BackupSettings,
  { force, out, withKeys }: BackupOptions,
  progress: Progress
) {
  const { dataDir } = settings
  yield* requireData(dataDir)
  const target = yield* targetAt(out, dataDir, force)
  const bytes = sizeOfLog(eventsFile(dataDir)) * (target.isArchive ? 2 : 1)
  yield* attemptNow(target.parent, () => requireRoom(target.parent, bytes))
  const leftOver = draftsIn(target.parent)
  // Without keys it is worth having also where the key is somewhere else, or nobody knows where.
  const key = yield* withKeys ? keyAtHand(settings) : Effect.orElseSucceed(keyAtHand(settings), () => undefined)
  if (withKeys && key === undefined) {
    return yield* cannotRun(`there is no key to take: no ${join(dataDir, MASTER_KEY)}, and MASTER_KEY is not set`)
  }

  const folder = yield* draftOf(target)
  yield* makeFolder(folder)
  yield* fill(folder, settings, { key, withKeys }, progress)
  yield* progress.report("reading it again")
  const source = yield* verified(folder, true)
  const isOwnKey = key === undefined ? undefined : yield* opensLog(join(folder, LOG), settings)
  if (target.isArchive) yield* progress.report("packing it")
  yield* promote(target.isArchive ? yield* packed(source, target) : folder, target, force)
  return { target, manifest: source.manifest, isOwnKey, leftOver }
})
