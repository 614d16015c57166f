import { Clock, DateTime, Effect, type Redacted } from "effect"
import { createReadStream, existsSync, statSync } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import { pipeline, Readable } from "node:stream"
import { constants, createGzip } from "node:zlib"
import { isMissing, syncFolder } from "../../platform/atomic-file.ts"
import { publicKeyFile, signingKeyFile, signingKeyOfSetting } from "../../adapters/notary/signing-keys.ts"
import { eventsFile, requireData } from "../../runtime/data-folder.ts"
import { subjectKeysFile } from "../../runtime/keys.ts"
import { treeHeadFileOf } from "../../runtime/log-proof.ts"
import { version } from "../../runtime/version.ts"
import { faultsOfContent, headOf, readFiles } from "./check.ts"
import { attempt, attemptSync, failed, refuse, type Report } from "./errors.ts"
import { digest, digestOfFile, requireSpace, writeText } from "./files.ts"
import { findMasterKey, keyNamesOf, type MasterKey, masterKeyText, opensLog, slipKeysIn } from "./keys.ts"
import { copyLog } from "./log.ts"
import {
  type BackupFile,
  CHECKPOINTS,
  type FileEntry,
  LOG,
  makeManifest,
  MANIFEST,
  type Manifest,
  manifestText,
  MASTER_KEY,
  SIGNING_KEY,
  SIGNING_PUB,
  SUBJECT_KEYS
} from "./manifest.ts"
import type { BackupSettings } from "./settings.ts"
import { isCompressed, openBackup, type Source } from "./source.ts"
import { type Entry, pack } from "./tar.ts"
import { draftOf, draftsIn, makeFolder, promote, type Target, targetAt } from "./target.ts"

type Entries = ReadonlyArray<FileEntry>

const writeEntry = (folder: string, name: BackupFile, text: string) =>
  attempt(name, async (signal): Promise<Entries> => [{ name, ...(await writeText(join(folder, name), text, signal)) }])

const readIfExists = (file: string) =>
  attempt(file, async () => {
    try {
      return await readFile(file, "utf8")
    } catch (cause) {
      if (isMissing(cause)) return undefined
      throw cause
    }
  })

/** Copies a file unchanged. Returns no entry when it does not exist. */
const copyEntry = Effect.fnUntraced(function* (folder: string, name: BackupFile, from: string) {
  const text = yield* readIfExists(from)
  return text === undefined ? [] : yield* writeEntry(folder, name, text)
})

/** The bytes up to the last line end: the service may be appending a line. */
const wholeLines = async (file: string): Promise<number> => {
  const handle = await open(file, "r")
  try {
    const { size } = await handle.stat()
    const tail = new Uint8Array(Math.min(size, MAX_LINE_BYTES))
    await handle.read(tail, 0, tail.length, size - tail.length)
    return size - tail.length + tail.lastIndexOf(LINE_END) + 1
  } finally {
    await handle.close()
  }
}

const LINE_END = 0x0a
/** A line has about 600 bytes. */
const MAX_LINE_BYTES = 65_536

/**
 * Copies public keys and signed tree heads. It must run before the log is copied, so that the log contains all events that
 * they refer to.
 */
const copyProofs = Effect.fnUntraced(function* (folder: string, settings: BackupSettings) {
  const file = treeHeadFileOf(settings)
  const treeHeads = yield* attempt(file, async (signal): Promise<Entries> => {
    try {
      const end = await wholeLines(file)
      const lines = end === 0 ? [] : createReadStream(file, { end: end - 1 })
      return [{ name: CHECKPOINTS, ...(await digest(lines, signal, join(folder, CHECKPOINTS))) }]
    } catch (cause) {
      if (isMissing(cause)) return []
      throw cause
    }
  })
  return [...treeHeads, ...yield* copyEntry(folder, SIGNING_PUB, publicKeyFile(settings.dataDir))]
})

const copySubjectKeys = Effect.fnUntraced(function* (folder: string, settings: BackupSettings) {
  const file = subjectKeysFile(settings)
  if (file === undefined) return []
  const text = yield* readIfExists(file)
  // The erasure of a key writes a new file and then fills the old one with zeros: read the new one.
  const whole = text?.includes("\u0000") === true ? yield* readIfExists(file) : text
  return whole === undefined ? [] : yield* writeEntry(folder, SUBJECT_KEYS, whole)
})

/**
 * Copies the secret keys: those of the settings, otherwise those of the data folder. It must run after the log is copied:
 * then the copy contains no key of a slip that the copied log reports as erased.
 */
const copySecretKeys = Effect.fnUntraced(function* (folder: string, settings: BackupSettings, key: MasterKey) {
  const signing = settings.signingKey === undefined
    ? yield* copyEntry(folder, SIGNING_KEY, signingKeyFile(settings.dataDir))
    : yield* writeEntry(folder, SIGNING_KEY, yield* pemOf(settings.signingKey))
  return [
    ...yield* writeEntry(folder, MASTER_KEY, masterKeyText(key)),
    ...yield* copySubjectKeys(folder, settings),
    ...signing
  ]
})

const pemOf = (setting: Redacted.Redacted<string>) =>
  Effect.map(signingKeyOfSetting(setting), (key) => key.export({ type: "pkcs8", format: "pem" }).toString())

const logEntry = (folder: string) =>
  attempt(LOG, async (signal): Promise<FileEntry> => {
    return { name: LOG, ...(await digestOfFile(join(folder, LOG), signal)) }
  })

interface BackupOptions {
  readonly out: string
  readonly withKeys: boolean
  /** Replace a backup of that name. */
  readonly force: boolean
}

/** The size of the log and of its write-ahead log. */
const sizeOfLog = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, part) => sum + (existsSync(part) ? statSync(part).size : 0), 0)

/** Writes all files of a backup to a new folder, the manifest last. */
const writeFiles = Effect.fnUntraced(function* (
  folder: string,
  settings: BackupSettings,
  { key, withKeys }: { readonly key: MasterKey | undefined; readonly withKeys: boolean },
  report: Report
) {
  const createdAt = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
  const proofs = yield* copyProofs(folder, settings)
  const file = join(folder, LOG)
  const contents = yield* copyLog(
    eventsFile(settings.dataDir),
    file,
    (done, total) => report("copying the log", done, total)
  )
  const keys = key === undefined || !withKeys ? [] : yield* copySecretKeys(folder, settings, key)
  const names = yield* keyNamesOf(file)
  const manifest = makeManifest({
    createdAt,
    sliptrail: version,
    log: { format: contents.format, head: headOf(contents), events: contents.events },
    keys: { ...names, slips: (yield* slipKeysIn(subjectKeysFile(settings), key)) ?? names.slips },
    files: [yield* logEntry(folder), ...keys, ...proofs]
  })
  yield* attempt(folder, (signal) => writeText(join(folder, MANIFEST), manifestText(manifest), signal))
  yield* attemptSync(folder, () => syncFolder(folder))
})

/** Reads a new backup again before it gets its name. */
const verifyBackup = Effect.fnUntraced(function* (path: string, checksLog: boolean, report: Report) {
  const source = yield* openBackup(path)
  const faults = yield* readFiles(source, path, { report, text: "reading the backup again" })
  const allFaults = faults.length > 0 || !checksLog ? faults : yield* faultsOfContent(source.manifest, path)
  if (allFaults.length > 0) {
    return yield* refuse(`the backup is damaged and was deleted: ${allFaults.join("; ")}`)
  }
  return source
})

/** The files of an archive, the manifest first. */
const archiveEntries = async function* (manifest: Manifest, source: Source): AsyncGenerator<Entry> {
  const text = new TextEncoder().encode(manifestText(manifest))
  yield { name: MANIFEST, bytes: text.length, chunks: Readable.from([text]) }
  yield* source.entries()
}

const packArchive = Effect.fnUntraced(function* (source: Source, target: Target, report: Report) {
  const archive = yield* draftOf(target)
  const { manifest } = source
  yield* attempt(target.path, (signal) => {
    const bytes = pack(archiveEntries(manifest, source), Date.parse(manifest.createdAt))
    // The service may be running: a larger file is better than a busy processor.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED })
    return digest(isCompressed(target.path) ? pipeline(bytes, gzip, () => undefined) : bytes, signal, archive)
  })
  yield* verifyBackup(archive, false, report)
  return archive
})

/**
 * Writes a backup of the data folder, reads it again, and only then renames it to its final name. The service may be
 * running. A failed backup leaves no files.
 */
export const takeBackup = Effect.fnUntraced(function* (
  settings: BackupSettings,
  { force, out, withKeys }: BackupOptions,
  report: Report
) {
  const { dataDir } = settings
  yield* requireData(dataDir)
  const target = yield* targetAt(out, dataDir, force)
  const bytes = sizeOfLog(eventsFile(dataDir)) * (target.isArchive ? 2 : 1)
  yield* attemptSync(target.parent, () => requireSpace(target.parent, bytes))
  const leftOver = draftsIn(target.parent)
  // A backup without keys does not need the master key.
  const key = yield* withKeys ? findMasterKey(settings) : Effect.orElseSucceed(findMasterKey(settings), () => undefined)
  if (withKeys && key === undefined) {
    return yield* failed(
      `there is no master key: ${join(dataDir, MASTER_KEY)} does not exist, and MASTER_KEY is not set`
    )
  }

  const folder = yield* draftOf(target)
  yield* makeFolder(folder)
  yield* writeFiles(folder, settings, { key, withKeys }, report)
  const source = yield* verifyBackup(folder, true, report)
  const isOwnKey = key === undefined ? undefined : yield* opensLog(join(folder, LOG), settings)
  if (target.isArchive) yield* report("packing the archive")
  yield* promote(target.isArchive ? yield* packArchive(source, target, report) : folder, target, force)
  return { target, manifest: source.manifest, isOwnKey, leftOver }
})
