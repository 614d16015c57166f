import type { FileHandle } from "node:fs/promises"
import type { Format } from "./format.ts"

/** What is there of an export that was begun: `size` in bytes, all of it whole lines. */
export type Found =
  | { readonly _tag: "Begun"; readonly size: number; readonly last: string | undefined }
  /** It is something else. */
  | { readonly _tag: "Foreign" }

const BLOCK = 65_536
const NEWLINE = 10

/** Bytes of a file from `start` up to `end`. */
const read = async (handle: FileHandle, start: number, end: number): Promise<Buffer> => {
  const bytes = Buffer.alloc(end - start)
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done)
    if (bytesRead === 0) return bytes.subarray(0, done)
    done += bytesRead
  }
  return bytes
}

/** Where the last line that ends before `end` ends; 0 when none does. */
const endOfLine = async (handle: FileHandle, end: number): Promise<number> => {
  for (let to = end; to > 0; to -= BLOCK) {
    const from = Math.max(0, to - BLOCK)
    const at = (await read(handle, from, to)).lastIndexOf(NEWLINE)
    if (at >= 0) return from + at + 1
  }
  return 0
}

/** A file that was torn while its first bytes were written has only some of what an export begins with. */
const isExport = (beginning: Buffer, expected: Buffer): boolean => {
  const length = Math.min(beginning.length, expected.length)
  return beginning.subarray(0, length).equals(expected.subarray(0, length))
}

/** Cuts what stands behind the last whole line off a file, if it is an export, and gives that line. */
export const dropTornLine = async (handle: FileHandle, { beginning, header }: Format): Promise<Found> => {
  const { size } = await handle.stat()
  const expected = Buffer.from(beginning)
  if (!isExport(await read(handle, 0, Math.min(size, expected.length)), expected)) return { _tag: "Foreign" }
  const end = await endOfLine(handle, size)
  if (end < size) await handle.truncate(end)
  if (end <= Buffer.byteLength(header)) return { _tag: "Begun", size: end, last: undefined }
  const start = await endOfLine(handle, end - 1)
  return { _tag: "Begun", size: end, last: (await read(handle, start, end)).toString() }
}
