import { Buffer } from "node:buffer"
import { Damaged } from "./errors.ts"

// POSIX tar (ustar) for regular files; sizes above 8 GiB as GNU tar writes them. `effect/encoding/Tar` is not used: it
// accepts an archive without the end marker, so a truncated backup would not be detected.

/** A file in an archive. Its bytes must be read before the next file is requested. */
export interface Entry {
  readonly name: string
  readonly bytes: number
  readonly chunks: AsyncIterable<Uint8Array>
}

const BLOCK = 512
const LARGEST_OCTAL = 8 ** 11 - 1
const PLAIN_FILE = "0"
/** Bytes of one chunk: an archive may be larger than the memory. */
const CHUNK = 65_536

/** The bytes of an archive of these files; `at` is in Unix milliseconds. */
export const pack = async function* (entries: AsyncIterable<Entry>, at: number): AsyncGenerator<Uint8Array> {
  for await (const { bytes, chunks, name } of entries) {
    yield headerOf(name, bytes, at)
    yield* chunks
    yield new Uint8Array(paddingOf(bytes))
  }
  yield new Uint8Array(2 * BLOCK)
}

/** The files of an archive. Throws `Damaged` when it is damaged or ends too early. */
export const unpack = async function* (archive: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const { take, drain, chunksOf } = makeReader(archive)
  while (true) {
    const header = await take(BLOCK)
    // Read to the end: a decompressor checks its checksum there.
    if (header.every((byte) => byte === 0)) return await drain()
    const { bytes, name } = readHeader(header)
    const chunks = chunksOf(bytes)
    yield { name, bytes, chunks }
    for await (const _ of chunks) { /* Skip bytes that were not read: the next header follows them. */ }
    await take(paddingOf(bytes))
  }
}

const paddingOf = (bytes: number): number => (BLOCK - bytes % BLOCK) % BLOCK

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0")

/** Offsets of the fields of a header. */
const at = { name: 0, mode: 100, uid: 108, gid: 116, size: 124, time: 136, sum: 148, kind: 156, magic: 257 }
const SIZE_BYTES = 12
const SUM_BYTES = 8

const headerOf = (name: string, bytes: number, time: number): Uint8Array => {
  const header = Buffer.alloc(BLOCK)
  header.write(name, at.name)
  header.write(octal(0o600, 7), at.mode)
  header.write(octal(0, 7), at.uid)
  header.write(octal(0, 7), at.gid)
  if (bytes <= LARGEST_OCTAL) header.write(octal(bytes, 11), at.size)
  else {
    header[at.size] = 0x80
    header.writeBigUInt64BE(BigInt(bytes), at.size + 4)
  }
  header.write(octal(Math.floor(time / 1_000), 11), at.time)
  header.write(PLAIN_FILE, at.kind)
  header.write("ustar\u000000", at.magic)
  header.write(`${octal(sumOf(header), 6)}\u0000 `, at.sum)
  return header
}

/** The sum of all bytes; the bytes of the checksum field count as spaces. */
const sumOf = (header: Uint8Array): number =>
  header.reduce((sum, byte, index) => sum + (index >= at.sum && index < at.sum + SUM_BYTES ? 0x20 : byte), 0)

const readHeader = (block: Uint8Array): { readonly name: string; readonly bytes: number } => {
  const header = Buffer.from(block)
  const text = (from: number, length: number): string =>
    (header.toString("latin1", from, from + length).split("\u0000", 1)[0] ?? "").trim()
  const kind = text(at.kind, 1) || PLAIN_FILE
  if (Number.parseInt(text(at.sum, SUM_BYTES), 8) !== sumOf(header) || kind !== PLAIN_FILE) throw notAnArchive()
  const isLarge = header[at.size] === 0x80
  const bytes = isLarge ? Number(header.readBigUInt64BE(at.size + 4)) : Number.parseInt(text(at.size, SIZE_BYTES), 8)
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw notAnArchive()
  return { name: text(at.name, at.mode - at.name), bytes }
}

const notAnArchive = () => new Damaged({ message: "it is not an archive that sliptrail backup wrote" })

const makeReader = (archive: AsyncIterable<Uint8Array>) => {
  const source = archive[Symbol.asyncIterator]()
  let buffered: Uint8Array = new Uint8Array(0)

  /** The next bytes, at most `limit`. */
  const next = async (limit: number): Promise<Uint8Array> => {
    while (buffered.length === 0) {
      const read = await source.next()
      if (read.done === true) throw new Damaged({ message: "it ends too early, a part is missing" })
      buffered = read.value
    }
    const taken = buffered.subarray(0, Math.min(limit, CHUNK))
    buffered = buffered.subarray(taken.length)
    return taken
  }

  const chunksOf = async function* (bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0;) {
      const taken = await next(left)
      left -= taken.length
      yield taken
    }
  }

  const take = async (bytes: number): Promise<Uint8Array> => {
    const parts: Array<Uint8Array> = []
    for await (const part of chunksOf(bytes)) parts.push(part)
    return Buffer.concat(parts)
  }

  const drain = async (): Promise<void> => {
    for (let read = await source.next(); read.done !== true;) read = await source.next()
  }

  return { take, chunksOf, drain }
}
