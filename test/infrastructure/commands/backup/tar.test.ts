import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Entry, pack, unpack } from "../../../../infrastructure/commands/backup/tar.ts"

interface File {
  readonly name: string
  readonly content: Buffer
}

const entriesOf = async function* (files: ReadonlyArray<File>): AsyncGenerator<Entry> {
  for (const { content, name } of files) {
    yield { name, bytes: content.length, chunks: inPieces(content, 100_000) }
  }
}

const inPieces = async function* (bytes: Uint8Array, pieceSize: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize)
}

const collect = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Array<Uint8Array> = []
  for await (const part of chunks) parts.push(part)
  return Buffer.concat(parts)
}

const packed = (files: ReadonlyArray<File>): Promise<Buffer> => collect(pack(entriesOf(files), Date.UTC(2027, 0, 31)))

const unpacked = async (archive: AsyncIterable<Uint8Array>): Promise<ReadonlyArray<File>> => {
  const files: Array<File> = []
  for await (const { chunks, name } of unpack(archive)) files.push({ name, content: await collect(chunks) })
  return files
}

const files: ReadonlyArray<File> = [0, 1, 511, 512, 513, 300_000].map((size) => ({
  name: `of-${size}.db`,
  content: Buffer.alloc(size, `${size} `)
}))

describe("an archive", () => {
  it.live("returns the packed files, for any chunk size", () =>
    Effect.promise(async () => {
      const archive = await packed(files)
      assert.strictEqual(archive.length % 512, 0)
      for (const pieceSize of [1_000_000, 65_536, 512, 77]) {
        assert.deepStrictEqual(await unpacked(inPieces(archive, pieceSize)), files)
      }
    }))

  it.live("skips entries that are not read", () =>
    Effect.promise(async () => {
      const names: Array<string> = []
      for await (const { name } of unpack(inPieces(await packed(files), 1_000))) names.push(name)
      assert.deepStrictEqual(names, files.map(({ name }) => name))
    }))

  it.live("is refused when it is truncated at any byte", () =>
    Effect.promise(async () => {
      const archive = await packed(files.slice(1, 5))
      // The second of the two empty blocks at the end is redundant, so an archive without it is accepted.
      for (let length = 0; length <= archive.length - 1024; length += 128) {
        const error = await unpacked(inPieces(archive.subarray(0, length), 512)).catch((error: unknown) => error)
        assert.propertyVal(error, "_tag", "Damaged", `truncated after ${length} bytes`)
      }
    }))

  it.live("contains files above 8 GiB", () =>
    Effect.promise(async () => {
      const bytes = 9 * 1024 ** 3
      const one = async function* (): AsyncGenerator<Entry> {
        yield { name: "events.db", bytes, chunks: inPieces(new Uint8Array(0), 1) }
      }
      const header = await pack(one(), 0).next()
      assert.isTrue(header.done === false)
      const firstEntry = await unpack(inPieces(header.done === true ? new Uint8Array(0) : header.value, 512)).next()
      assert.isTrue(firstEntry.done === false && firstEntry.value.bytes === bytes)
    }))
})
