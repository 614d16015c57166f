import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { formatPosition } from "../../../domain/events/recorded-event.ts"
import { attempt, attemptSync, Damaged, type Report } from "./errors.ts"
import { type Digest, digest, requireSpace } from "./files.ts"
import { findMasterKey, opensLog, slipKeysIn } from "./keys.ts"
import { examineLog } from "./log.ts"
import type { LogContents } from "./log-thread.ts"
import { bytesOf, holds, LOG, MANIFEST, type Manifest, MASTER_KEY, SUBJECT_KEYS } from "./manifest.ts"
import type { Source } from "./source.ts"

type Faults = ReadonlyArray<string>

/** The head of an embedded log, in the format of positions. */
export const headOf = ({ head }: LogContents): string => formatPosition({ commit: BigInt(head), prepare: BigInt(head) })

/** Passes chunks on, and their number of bytes to `take`. */
const counted = async function* (chunks: AsyncIterable<Uint8Array>, take: (bytes: number) => void) {
  for await (const chunk of chunks) {
    take(chunk.length)
    yield chunk
  }
}

/** How often the progress of reading is reported. */
const REPORT_INTERVAL = "200 millis"

/**
 * Reads all files of a backup, and writes them to `folder` unless it is undefined. Reports progress as `text`. Returns the
 * differences from the manifest.
 */
export const readFiles = Effect.fnUntraced(
  function* (source: Source, path: string, { folder, report, text }: ReadOptions) {
    const total = bytesOf(source.manifest)
    let done = 0
    const reporting = Effect.suspend(() => report(text, done, total)).pipe(
      Effect.andThen(Effect.sleep(REPORT_INTERVAL)),
      Effect.forever
    )
    return yield* Effect.raceFirst(
      readEach(source, path, folder, (bytes) => {
        done += bytes
      }),
      reporting
    )
  }
)

interface ReadOptions {
  readonly folder?: string | undefined
  readonly report: Report
  readonly text: string
}

const readEach = (source: Source, path: string, folder: string | undefined, take: (bytes: number) => void) =>
  attempt(path, async (signal) => {
    const found = new Map<string, Digest>()
    for await (const { bytes, chunks, name } of source.entries()) {
      const entry = source.manifest.files.find((file) => file.name === name)
      if (entry === undefined) {
        throw new Damaged({ message: `it contains ${name}, which its ${MANIFEST} does not list` })
      }
      if (found.has(name)) throw new Damaged({ message: `it contains ${name} twice` })
      // Checked before the file is read: a file that is too large could fill the disk.
      if (bytes !== entry.bytes) throw new Damaged({ message: otherSize(name, bytes, entry.bytes) })
      found.set(
        name,
        await digest(counted(chunks, take), signal, folder === undefined ? undefined : join(folder, name))
      )
    }
    return faultsOfFiles(source.manifest, found)
  })

const otherSize = (name: string, bytes: number, expected: number): string =>
  `${name} has ${bytes} bytes instead of ${expected}`

const faultsOfFiles = ({ files }: Manifest, found: ReadonlyMap<string, Digest>): Faults =>
  files.flatMap(({ bytes, name, sha256 }) => {
    const file = found.get(name)
    if (file === undefined) return [`${name} is missing`]
    if (file.bytes !== bytes) return [otherSize(name, file.bytes, bytes)]
    return file.sha256 === sha256 ? [] : [`${name} was changed: its SHA-256 differs from the manifest`]
  })

/** The faults of the log and the keys of a backup in a folder. */
export const faultsOfContent = Effect.fnUntraced(function* (manifest: Manifest, folder: string) {
  const { log } = manifest
  const file = join(folder, LOG)
  const { contents, faults } = yield* examineLog(file)
  if (contents === undefined || faults.length > 0) return faults.map((fault) => `${LOG} is damaged: ${fault}`)
  const found = `${contents.events} events up to ${headOf(contents)}`
  if (headOf(contents) !== log.head || contents.events !== log.events) {
    return [`${LOG} has ${found} instead of ${log.events} up to ${log.head}`]
  }
  if (!holds(manifest, MASTER_KEY)) return []
  const keySettings = { dataDir: folder, eventStoreUrl: undefined, masterKey: undefined, subjectKeysFile: undefined }
  const master = yield* Effect.orElseSucceed(findMasterKey(keySettings), () => undefined)
  const slips = yield* slipKeysIn(join(folder, SUBJECT_KEYS), master)
  const namesDiffer = (manifest.keys.master ?? master?.name) !== master?.name
    || (manifest.keys.slips ?? slips) !== slips
  const keysFit = !namesDiffer && (yield* opensLog(file, keySettings)) !== false
  return keysFit ? [] : ["its keys do not open the sealed data of its log"]
})

const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sliptrail-backup-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** All faults of a backup; none when it is undamaged. An archive is unpacked to the folder of TMPDIR. */
export const faultsOf = (source: Source, path: string, report: Report) =>
  Effect.scoped(Effect.gen(function* () {
    const folder = source.folder ?? (yield* scratch)
    if (source.folder === undefined) {
      const unpacking = `${path} is unpacked to the folder of TMPDIR to be checked`
      yield* attemptSync(unpacking, () => requireSpace(folder, bytesOf(source.manifest)))
    }
    const faults = yield* readFiles(source, path, {
      folder: source.folder === undefined ? folder : undefined,
      report,
      text: `reading ${path}`
    })
    return faults.length > 0 ? faults : yield* faultsOfContent(source.manifest, folder)
  })).pipe(Effect.catchTag("Damaged", ({ message }) => Effect.succeed<Faults>([message])))
