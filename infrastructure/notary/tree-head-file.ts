import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"
import { TreeHeadFile, TreeHeadFileError } from "../../ports/notary.ts"
import { readTreeHead, treeHeadLine } from "../../domain/log-proof/tree-head.ts"
import { syncFolder } from "../atomic-file.ts"

/** Bytes from the end in which the last line stands; a line has some 600. */
const LAST_BYTES = 8_192

const LINE_END = 0x0a

/** The end of a file: its size without a line that was cut off, and the last whole line. */
const endOf = async (handle: FileHandle) => {
  const { size } = await handle.stat()
  const start = Math.max(0, size - LAST_BYTES)
  const bytes = Buffer.alloc(size - start)
  await handle.read(bytes, 0, bytes.length, start)
  const end = bytes.lastIndexOf(LINE_END) + 1
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
    const { size, whole } = await endOf(handle)
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
    return (await endOf(handle)).line
  } finally {
    await handle.close()
  }
}

/** The file of checkpoints at a path. It and its folder are made with the first line. */
export const layerTreeHeadFile = (file: string): Layer.Layer<TreeHeadFile> => {
  const attempt = <A>(what: string, run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) => new TreeHeadFileError({ message: `${file} cannot be ${what}: ${String(cause)}` })
    })
  return Layer.succeed(
    TreeHeadFile,
    TreeHeadFile.of({
      last: Effect.gen(function* () {
        if (!existsSync(file)) return undefined
        const line = yield* attempt("read", () => lastLine(file))
        if (line === "") return undefined
        const checkpoint = readTreeHead(parse(line))
        if (checkpoint !== undefined) return checkpoint
        const message = `the last line of ${file} is no checkpoint: move the file away, and a new one is begun`
        return yield* new TreeHeadFileError({ message })
      }),
      append: (checkpoints) =>
        attempt(
          "written",
          () => append(file, checkpoints.map((checkpoint) => `${treeHeadLine(checkpoint)}\n`).join(""))
        )
    })
  )
}
