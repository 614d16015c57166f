import { Effect } from "effect"
import { Buffer } from "node:buffer"
import { createReadStream, existsSync } from "node:fs"
import { open, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream"
import { createGunzip } from "node:zlib"
import { FORMAT as LOG_FORMAT } from "../../adapters/stores/sqlite/events/log-file.ts"
import { isMissing } from "../../platform/atomic-file.ts"
import { attempt, Damaged, failed } from "./errors.ts"
import { isBackupFile, MANIFEST, type Manifest, readManifest } from "./manifest.ts"
import { type Entry, unpack } from "./tar.ts"

/** A backup: a folder or an archive. */
export interface Source {
  readonly manifest: Manifest
  /** The folder; undefined for an archive. */
  readonly folder: string | undefined
  /** The files after the manifest. Each must be read before the next. Missing files are left out. */
  readonly entries: () => AsyncIterable<Entry>
}

/** Whether a backup of this name is an archive. */
export const isArchive = (path: string): boolean => /\.(tar|tar\.gz|tgz)$/u.test(path)

export const isCompressed = (path: string): boolean => path.endsWith("gz")

/** A manifest has a few hundred bytes. */
const MAX_MANIFEST_BYTES = 65_536

/** Opens a backup and reads its manifest. Fails when it does not exist or is damaged. */
export const openBackup = Effect.fnUntraced(function* (path: string) {
  const isFolder = yield* attempt(path, async () => (await stat(path)).isDirectory())
  const text = yield* attempt(path, () => isFolder ? manifestOfFolder(path) : manifestOfArchive(path))
  const manifest = yield* readManifest(text, LOG_FORMAT)
  const source: Source = isFolder
    ? { manifest, folder: path, entries: () => filesOf(path, manifest) }
    : { manifest, folder: undefined, entries: () => entriesAfterManifest(path) }
  return source
})

const manifestOfFolder = async (folder: string): Promise<string> => {
  try {
    return await readFile(join(folder, MANIFEST), "utf8")
  } catch (cause) {
    if (isMissing(cause)) throw failed(`${folder} is not a backup: it contains no ${MANIFEST}`)
    throw cause
  }
}

const manifestOfArchive = async (file: string): Promise<string> => {
  for await (const { bytes, chunks, name } of entriesOf(file)) {
    if (name !== MANIFEST || bytes > MAX_MANIFEST_BYTES) break
    const parts: Array<Uint8Array> = []
    for await (const part of chunks) parts.push(part)
    return Buffer.concat(parts).toString("utf8")
  }
  throw failed(`${file} is not a backup: its first file is not ${MANIFEST}`)
}

const filesOf = async function* (folder: string, { files }: Manifest): AsyncGenerator<Entry> {
  for (const { name } of files) {
    const file = join(folder, name)
    if (!existsSync(file)) continue
    const { size } = await stat(file)
    yield { name, bytes: size, chunks: bytesOfFile(file) }
  }
}

/** Opens the file at the first read, so that an entry that is never read leaves nothing open. */
const bytesOfFile = async function* (file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file)
}

const entriesAfterManifest = async function* (file: string): AsyncGenerator<Entry> {
  for await (const entry of entriesOf(file)) {
    if (entry.name === MANIFEST) continue
    // A name could be a path to anywhere on the disk, so only known names are accepted.
    if (!isBackupFile(entry.name)) {
      throw new Damaged({ message: `it contains ${JSON.stringify(entry.name)}, which is not part of a backup` })
    }
    yield entry
  }
}

const entriesOf = (file: string): AsyncIterable<Entry> => unpack(bytesOfArchive(file))

const bytesOfArchive = async function* (file: string): AsyncGenerator<Uint8Array> {
  const isGzip = await beginsAsGzip(file)
  const bytes = createReadStream(file)
  try {
    // The last stream of a pipeline fails with the error of any stream.
    yield* isGzip ? pipeline(bytes, createGunzip(), () => undefined) : bytes
  } catch (cause) {
    const isBroken = cause instanceof Error && "code" in cause && String(cause.code).startsWith("Z_")
    throw isBroken ? new Damaged({ message: `it cannot be decompressed (${cause.message})` }) : cause
  } finally {
    bytes.destroy()
  }
}

const beginsAsGzip = async (file: string): Promise<boolean> => {
  const handle = await open(file, "r")
  try {
    const start = new Uint8Array(2)
    await handle.read(start, 0, start.length, 0)
    return start[0] === 0x1f && start[1] === 0x8b
  } finally {
    await handle.close()
  }
}
