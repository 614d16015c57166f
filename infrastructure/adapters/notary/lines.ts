import { Effect, type Scope, Stream } from "effect"
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { LogSourceError } from "../../../ports/log-source.ts"

/** A line of a file. Numbers begin with 1. */
export interface Line {
  readonly number: number
  /** Without the line end; undefined when it is not valid UTF-8 or too long. */
  readonly text: string | undefined
  /** False for the text after the last line end. */
  readonly isEnded: boolean
}

const CHUNK_BYTES = 256 * 1024

/** Far above the limit of an append, one mebibyte. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

const LINE_END = 0x0a

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads the lines chunk by chunk. Returns undefined at the end. Throws like `node:fs`. */
const makeReader = (handle: number, size: number) => {
  let offset = 0
  let number = 0
  /** The start of a line whose end was not read yet; undefined when it is too long. */
  let pending: Uint8Array | undefined = new Uint8Array(0)

  const lineOf = (end: Uint8Array, isEnded: boolean): Line => {
    const text = pending === undefined ? undefined : textOf(pending.length === 0 ? end : Buffer.concat([pending, end]))
    pending = new Uint8Array(0)
    return { number: ++number, text, isEnded }
  }

  return (): ReadonlyArray<Line> | undefined => {
    if (offset >= size) {
      return pending?.length === 0 ? undefined : [lineOf(new Uint8Array(0), false)]
    }
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - offset))
    const read = readSync(handle, chunk, 0, chunk.length, offset)
    if (read === 0) throw new Error("it was truncated while it was read")
    offset += read
    const lines: Array<Line> = []
    let start = 0
    for (let end = chunk.indexOf(LINE_END); end !== -1 && end < read; end = chunk.indexOf(LINE_END, start)) {
      lines.push(lineOf(chunk.subarray(start, end), true))
      start = end + 1
    }
    const unfinished = chunk.subarray(start, read)
    if (pending !== undefined && unfinished.length > 0) {
      pending = pending.length + unfinished.length > MAX_LINE_BYTES ? undefined : Buffer.concat([pending, unfinished])
    }
    return lines
  }
}

/** The lines of a file in pages, up to its current end. */
export const openLines = (
  file: string
): Effect.Effect<Stream.Stream<ReadonlyArray<Line>, LogSourceError>, LogSourceError, Scope.Scope> =>
  Effect.gen(function* () {
    const handle = yield* Effect.acquireRelease(
      attempt(file, () => openSync(file, "r")),
      (handle) => Effect.sync(() => closeSync(handle))
    )
    const { size } = yield* attempt(file, () => fstatSync(handle))
    return Stream.suspend(() =>
      Stream.unfold(
        makeReader(handle, size),
        (next) => Effect.map(attempt(file, next), (lines) => lines === undefined ? undefined : [lines, next] as const)
      )
    )
  })

const attempt = <A>(file: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) =>
      new LogSourceError({
        isDamaged: false,
        message: `${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })
