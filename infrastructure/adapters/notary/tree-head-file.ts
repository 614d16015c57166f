import { Effect, Layer, Stream } from "effect"
import { existsSync } from "node:fs"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"
import { TreeHeadFile, TreeHeadFileError } from "../../../ports/notary.ts"
import { readTreeHead, treeHeadLine } from "../../../domain/log-proof/tree-head.ts"
import type { TreeHeadLine } from "../../../ports/log-source.ts"
import { syncFolder } from "../../platform/atomic-file.ts"
import { type Line, openLines } from "./lines.ts"

/** Bytes from the end that contain the last line. A line has about 600 bytes. */
const TAIL_BYTES = 8_192

/** No line is longer. */
const MAX_LINE_BYTES = 1_024

/** What every line begins with. A zero stands for any digit. */
const BEGINNING = '{"at":"0000-00-00T00:00:00.000Z","chainHash":"'

const LINE_END = 0x0a

/** Whether a crash can have left this text: `CHECKPOINT_FILE` can name a file that holds something else. */
const isCutOff = (text: string): boolean =>
  text.length <= MAX_LINE_BYTES && BEGINNING.startsWith(text.slice(0, BEGINNING.length).replace(/\d/gu, "0"))

const notATreeHead = (file: string) =>
  new TreeHeadFileError({
    message:
      `the last line of ${file} is not a signed tree head: move the file away, or set CHECKPOINT_FILE to another `
      + "one. The file is unchanged; the next start creates a new one"
  })

/** The size of a file, its size without a line that a crash cut off, and the last complete line. */
const endOf = async (file: string, handle: FileHandle) => {
  const { size } = await handle.stat()
  const start = Math.max(0, size - TAIL_BYTES)
  const bytes = Buffer.alloc(size - start)
  await handle.read(bytes, 0, bytes.length, start)
  const end = bytes.lastIndexOf(LINE_END) + 1
  if (!isCutOff(bytes.toString("utf8", end))) throw notATreeHead(file)
  const begin = end < 2 ? 0 : bytes.lastIndexOf(LINE_END, end - 2) + 1
  return { size, whole: start + end, line: bytes.toString("utf8", begin, Math.max(begin, end - 1)) }
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const append = async (file: string, text: string) => {
  const isNew = !existsSync(file)
  if (isNew) await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, "a+", 0o600)
  try {
    const { size, whole } = await endOf(file, handle)
    if (whole < size) await handle.truncate(whole)
    await handle.appendFile(text)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  if (isNew) syncFolder(dirname(file))
}

const lastLine = async (file: string) => {
  const handle = await open(file, "r")
  try {
    return (await endOf(file, handle)).line
  } finally {
    await handle.close()
  }
}

/** The file of signed tree heads. The first append creates the file and its folder. */
export const layerTreeHeadFile = (file: string): Layer.Layer<TreeHeadFile> => {
  const attempt = <A>(action: "read" | "written", run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) =>
        cause instanceof TreeHeadFileError
          ? cause
          : new TreeHeadFileError({ message: `${file} cannot be ${action}: ${String(cause)}` })
    })
  return Layer.succeed(
    TreeHeadFile,
    TreeHeadFile.of({
      last: Effect.gen(function* () {
        if (!existsSync(file)) return undefined
        const line = yield* attempt("read", () => lastLine(file))
        if (line === "") return undefined
        const treeHead = readTreeHead(parse(line))
        return treeHead ?? (yield* notATreeHead(file))
      }),
      append: (treeHeads) =>
        attempt(
          "written",
          () => append(file, treeHeads.map((treeHead) => `${treeHeadLine(treeHead)}\n`).join(""))
        )
    })
  )
}

/** The lines of a file of signed tree heads, up to its current end. Skips an incomplete last line, which a crash leaves. */
export const openTreeHeadLines = (file: string) =>
  Effect.map(openLines(file), (pages) =>
    pages.pipe(
      Stream.flattenIterable,
      Stream.filter(({ isEnded }) => isEnded),
      Stream.map((line) => entryOf(file, line))
    ))

const entryOf = (file: string, { number, text }: Line): TreeHeadLine => {
  const place = `line ${number} of ${file}`
  try {
    const treeHead = readTreeHead(JSON.parse(text ?? ""))
    const isAsWritten = treeHead !== undefined && treeHeadLine(treeHead) === text
    return { place, treeHead: isAsWritten ? treeHead : undefined }
  } catch {
    return { place, treeHead: undefined }
  }
}
