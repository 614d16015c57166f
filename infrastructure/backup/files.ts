import { createHash } from "node:crypto"
import { createReadStream, statfsSync } from "node:fs"
import { open } from "node:fs/promises"
import { cannotRun } from "../cli/exit.ts"

/** What a file turned out to hold. */
export interface Digest {
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** Only the owner reads what stands in a backup or a data folder. */
export const MODE = 0o600
export const FOLDER_MODE = 0o700

/** Digests bytes, and writes them to a new file if one is named: whole and on the disk when it returns. */
export const digest = async (
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
  file?: string
): Promise<Digest> => {
  const hash = createHash("sha256")
  const handle = file === undefined ? undefined : await open(file, "wx", MODE)
  try {
    let bytes = 0
    for await (const chunk of chunks) {
      signal.throwIfAborted()
      hash.update(chunk)
      await handle?.writeFile(chunk)
      bytes += chunk.length
    }
    await handle?.sync()
    return { bytes, sha256: hash.digest("hex") }
  } finally {
    await handle?.close()
  }
}

export const digestOfFile = (file: string, signal: AbortSignal): Promise<Digest> =>
  digest(createReadStream(file), signal)

export const writeText = async (file: string, text: string, signal: AbortSignal): Promise<Digest> =>
  digest([new TextEncoder().encode(text)], signal, file)

const MIB = 1024 ** 2

const told = (mebibytes: number): string => `${mebibytes.toLocaleString("en-US")} MiB`

/** So many bytes in MiB, rounded up. */
export const mebibytes = (bytes: number): string => told(Math.ceil(bytes / MIB))

/** Throws when the disk of a folder has no room for so many bytes: a disk that is full also stops the service. */
export const requireRoom = (folder: string, bytes: number): void => {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free < bytes) {
    throw cannotRun(
      `there are ${told(Math.floor(free / MIB))} free on the disk of ${folder}, and ${mebibytes(bytes)} are needed: `
        + "make room, or choose another disk"
    )
  }
}
