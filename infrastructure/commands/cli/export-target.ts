import { Data, Effect } from "effect"
import { type FileHandle, open } from "node:fs/promises"
import type { Format } from "../../../application/trail/export-format.ts"
import { cannotRun, type CommandFailed } from "./exit.ts"

/** The destination of an export. */
export interface Target {
  readonly name: string
  /** The first and the last whole line of an unfinished export; undefined when there are no lines. */
  readonly lines: { readonly first: string; readonly last: string } | undefined
  /** Whether the header is written. */
  readonly hasHeader: boolean
  /** Writes whole lines. Uninterruptible, so no line is cut. False when the reader of standard output closed the pipe. */
  readonly write: (lines: string) => Effect.Effect<boolean, CommandFailed>
  /** Everything written is on the disk when this returns. */
  readonly finish: Effect.Effect<void, CommandFailed>
}

const isClosed = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "EPIPE"

export const toStandardOutput: Effect.Effect<Target> = Effect.sync(() => {
  const { stdout } = process
  // The callback of each write receives the error too; an error event without a listener would end the process.
  stdout.on("error", () => {})
  const write: Target["write"] = (lines) =>
    Effect.uninterruptible(Effect.callback((resume) => {
      stdout.write(lines, (cause) => {
        if (cause === null || cause === undefined) return resume(Effect.succeed(true))
        resume(
          isClosed(cause)
            ? Effect.succeed(false)
            : Effect.fail(cannotRun(`standard output cannot be written: ${cause.message}`))
        )
      })
    }))
  const name = "standard output"
  return { name, lines: undefined, hasHeader: false, write, finish: Effect.void } satisfies Target
})

/** The reader of standard output, such as `head`, closed the pipe. The command ends without an error. */
export class PipeClosed extends Data.TaggedError("PipeClosed")<{}> {}

/** Writes whole lines, and fails when the pipe is closed. */
export const writeTo = ({ write }: Pick<Target, "write">) => (lines: string) =>
  Effect.filterOrFail(write(lines), (isOpen) => isOpen, () => new PipeClosed())

/** Only the owner may read personal data, sealed or not. */
export const FILE_MODE = 0o600

export const notReplaced = (file: string, why: string) =>
  cannotRun(`${file} exists and was left unchanged: ${why}. Choose another --out, or delete the file first`)

export const notAFile = (name: string) =>
  cannotRun(`${name} is not a file: choose a file, or leave out --out for standard output`)

/** Works on a file that is written. Uninterruptible. */
export const attemptOn = (name: string) => <A>(run: () => A | Promise<A>) =>
  Effect.uninterruptible(Effect.tryPromise({
    try: async () => await run(),
    catch: (cause) => cannotRun(`${name} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)
  }))

/** Writes all bytes at a place of a file. */
export const writeAt = async (handle: FileHandle, bytes: Uint8Array, place: number): Promise<void> => {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, place + done)).bytesWritten
  }
}

/**
 * Writes to a file, and continues an unfinished export after its last whole line. A file stays unchanged when it is not an
 * export of this format, or when its torn last line differs from what this export writes there.
 */
export const toFile = Effect.fnUntraced(function* (file: string, format: Format) {
  const attempt = attemptOn(file)
  const handle = yield* Effect.acquireRelease(
    // `r+` neither truncates nor appends: the file may be something other than an export.
    attempt(async () => await open(file, "wx+", FILE_MODE).catch(() => open(file, "r+"))),
    (handle) => Effect.ignore(attempt(() => handle.close()))
  )
  if (!(yield* attempt(() => handle.stat())).isFile()) {
    return yield* notAFile(file)
  }
  const found = yield* attempt(() => findLines(handle, format))
  if (found === undefined) {
    return yield* notReplaced(file, `it is not an export of this version in ${format.name}`)
  }
  let { end: size, torn } = found
  const otherTornLine = notReplaced(file, "the text after its last whole line differs from what this command writes")
  const write: Target["write"] = Effect.fnUntraced(function* (lines) {
    const bytes = Buffer.from(lines)
    if (!bytes.subarray(0, torn.length).equals(torn)) return yield* otherTornLine
    yield* attempt(() => writeAt(handle, bytes, size))
    size += bytes.length
    torn = Buffer.alloc(0)
    return true
  })
  const finish = Effect.andThen(
    Effect.suspend(() => torn.length > 0 ? Effect.fail(otherTornLine) : Effect.void),
    attempt(() => handle.datasync())
  )
  const target: Target = { name: file, lines: found.lines, hasHeader: size > 0, write, finish }
  return target
})

const BLOCK = 65_536
const NEWLINE = 10

/** An append holds at most one mebibyte, and a CSV doubles its quotes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

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

/** The end of the last whole line before `end`; 0 when there is none. */
const endOfLastLine = async (handle: FileHandle, end: number): Promise<number> => {
  for (let to = end; to > 0; to -= BLOCK) {
    const from = Math.max(0, to - BLOCK)
    const at = (await read(handle, from, to)).lastIndexOf(NEWLINE)
    if (at >= 0) return from + at + 1
  }
  return 0
}

/** The end of the line that begins at `start`, at most `end`. */
const endOfFirstLine = async (handle: FileHandle, start: number, end: number): Promise<number> => {
  for (let from = start; from < end; from += BLOCK) {
    const at = (await read(handle, from, Math.min(end, from + BLOCK))).indexOf(NEWLINE)
    if (at >= 0) return from + at + 1
  }
  return end
}

/**
 * The whole lines of an export: the first, the last, the end of the last in bytes, and the torn bytes after it.
 * Undefined when the file is not an export of this format.
 */
const findLines = async (handle: FileHandle, { header, prefix }: Format) => {
  const { size } = await handle.stat()
  const expected = Buffer.from(prefix)
  // A file that was torn in its first bytes has only a part of the prefix.
  const begun = await read(handle, 0, Math.min(size, expected.length))
  if (!begun.equals(expected.subarray(0, begun.length))) return undefined
  const end = await endOfLastLine(handle, size)
  if (size - end > MAX_LINE_BYTES) return undefined
  const torn = await read(handle, end, size)
  const start = Buffer.byteLength(header)
  if (end <= start) return { end, lines: undefined, torn }
  const first = await read(handle, start, await endOfFirstLine(handle, start, end))
  const last = await read(handle, await endOfLastLine(handle, end - 1), end)
  return { end, lines: { first: first.toString(), last: last.toString() }, torn }
}
