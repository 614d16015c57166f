import type { FileHandle } from "node:fs/promises"
import type { Format } from "./format.ts"

/** The first and the last of the whole lines of an export. */
export interface Ends {
  readonly first: string
  readonly last: string
}

/** What is there of an export that was begun: whole lines up to `end`, in bytes, and what was torn behind it. */
export type Found =
  | { readonly _tag: "Begun"; readonly end: number; readonly lines: Ends | undefined; readonly torn: Buffer }
  /** It is something else. */
  | { readonly _tag: "Foreign" }

const BLOCK = 65_536
const NEWLINE = 10

/** An append holds at most a mebibyte, and a CSV doubles its quotes. */
const LONGEST_LINE = 16 * 1024 * 1024

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

/** Where the line that begins at `start` ends, which it does before `end`. */
const endOfFirst = async (handle: FileHandle, start: number, end: number): Promise<number> => {
  for (let from = start; from < end; from += BLOCK) {
    const at = (await read(handle, from, Math.min(end, from + BLOCK))).indexOf(NEWLINE)
    if (at >= 0) return from + at + 1
  }
  return end
}

/** A file that was torn while its first bytes were written has only some of what an export begins with. */
const isExport = (beginning: Buffer, expected: Buffer): boolean => {
  const length = Math.min(beginning.length, expected.length)
  return beginning.subarray(0, length).equals(expected.subarray(0, length))
}

/** Finds the whole lines of a file, if it is an export, and gives the first and the last. It changes nothing. */
export const findLines = async (handle: FileHandle, { beginning, header }: Format): Promise<Found> => {
  const { size } = await handle.stat()
  const expected = Buffer.from(beginning)
  if (!isExport(await read(handle, 0, Math.min(size, expected.length)), expected)) return { _tag: "Foreign" }
  const end = await endOfLine(handle, size)
  if (size - end > LONGEST_LINE) return { _tag: "Foreign" }
  const torn = await read(handle, end, size)
  const start = Buffer.byteLength(header)
  if (end <= start) return { _tag: "Begun", end, lines: undefined, torn }
  const first = await read(handle, start, await endOfFirst(handle, start, end))
  const last = await read(handle, await endOfLine(handle, end - 1), end)
  return { _tag: "Begun", end, lines: { first: first.toString(), last: last.toString() }, torn }
}
