import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { formatPosition } from "../../domain/events/recorded-event.ts"
import { attempt, attemptNow, Damaged } from "./failure.ts"
import { type Digest, digest, requireRoom } from "./files.ts"
import { keyAtHand, opensLog, slipKeysIn } from "./keys.ts"
import { examineLog } from "./log.ts"
import type { LogContents } from "./log-thread.ts"
import { bytesOf, holds, LOG, MANIFEST, type Manifest, MASTER_KEY, SUBJECT_KEYS } from "./manifest.ts"
import type { Source } from "./source.ts"

type Faults = ReadonlyArray<string>

/** The head of an embedded log, as other commands tell positions. */
export const headOf = ({ head }: LogContents): string => formatPosition({ commit: BigInt(head), prepare: BigInt(head) })

/** Reads all files of a backup and writes them to a folder if one is named; gives what differs from the manifest. */
export const readFiles = (source: Source, what: string, folder?: string) =>
  attempt(what, async (signal) => {
    const found = new Map<string, Digest>()
    for await (const { bytes, chunks, name } of source.entries()) {
      const told = source.manifest.files.find((file) => file.name === name)
      if (told === undefined) throw new Damaged({ message: `it holds ${name}, which its ${MANIFEST} does not name` })
      if (found.has(name)) throw new Damaged({ message: `it holds ${name} twice` })
      // Before it is read: what is larger than it should be would fill the disk for nothing.
      if (bytes !== told.bytes) throw new Damaged({ message: otherSize(name, bytes, told.bytes) })
      found.set(name, await digest(chunks, signal, folder === undefined ? undefined : join(folder, name)))
    }
    return faultsOfFiles(source.manifest, found)
  })

const otherSize = (name: string, bytes: number, told: number): string => `${name} has ${bytes} bytes instead of ${told}`

const faultsOfFiles = ({ files }: Manifest, found: ReadonlyMap<string, Digest>): Faults =>
  files.flatMap(({ bytes, name, sha256 }) => {
    const file = found.get(name)
    if (file === undefined) return [`${name} is missing`]
    if (file.bytes !== bytes) return [otherSize(name, file.bytes, bytes)]
    return file.sha256 === sha256 ? [] : [`${name} was changed: its SHA-256 is not that of the manifest`]
  })

/** What is wrong with the log and the keys of a backup that lies in a folder. */
export const faultsOfContent = Effect.fnUntraced(function* (manifest: Manifest, folder: string) {
  const { log } = manifest
  const file = join(folder, LOG)
  const { contents, faults } = yield* examineLog(file)
  if (contents === undefined || faults.length > 0) return faults.map((fault) => `${LOG} is damaged: ${fault}`)
  const told = `${contents.events} events up to ${headOf(contents)}`
  if (headOf(contents) !== log.head || contents.events !== log.events) {
    return [`${LOG} has ${told} instead of ${log.events} up to ${log.head}`]
  }
  if (!holds(manifest, MASTER_KEY)) return []
  const own = { dataDir: folder, eventStoreUrl: undefined, masterKey: undefined, subjectKeysFile: undefined }
  const master = yield* Effect.orElseSucceed(keyAtHand(own), () => undefined)
  const slips = yield* slipKeysIn(join(folder, SUBJECT_KEYS), master)
  const isOther = (manifest.keys.master ?? master?.name) !== master?.name || (manifest.keys.slips ?? slips) !== slips
  const isOwn = !isOther && (yield* opensLog(file, own)) !== false
  return isOwn ? [] : ["its keys do not open what its log has sealed"]
})

const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sliptrail-backup-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Everything that is wrong with a backup; nothing when it is sound. An archive is unpacked in the folder of TMPDIR. */
export const faultsOf = (source: Source, path: string) =>
  Effect.scoped(Effect.gen(function* () {
    const folder = source.folder ?? (yield* scratch)
    if (source.folder === undefined) {
      const room = `${path} has to be unpacked to be checked; TMPDIR says where`
      yield* attemptNow(room, () => requireRoom(folder, bytesOf(source.manifest)))
    }
    const faults = yield* readFiles(source, path, source.folder === undefined ? folder : undefined)
    return faults.length > 0 ? faults : yield* faultsOfContent(source.manifest, folder)
  })).pipe(Effect.catchTag("Damaged", ({ message }) => Effect.succeed<Faults>([message])))
