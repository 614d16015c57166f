import { failed } from "./errors.ts"
import { createHash } from "node:crypto"
import { createReadStream, statfsSync } from "node:fs"
import { open } from "node:fs/promises"

/** The size and the hash of a file. */
export interface Digest {
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** Only the owner may read a backup or a data folder. */
export const MODE = 0o600
export const FOLDER_MODE = 0o700

/** Hashes bytes, and writes them to the new file `file` unless it is undefined. The file is on the disk when this returns. */
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

const grouped = (mebibytes: number): string => `${mebibytes.toLocaleString("en-US")} MiB`

/** Bytes in MiB, rounded up. */
export const mebibytes = (bytes: number): string => grouped(Math.ceil(bytes / MIB))

/** Throws when the disk of a folder has less free space: a full disk also stops the service. */
export const requireSpace = (folder: string, bytes: number): void => {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free < bytes) {
    throw failed(
      `the disk of ${folder} has ${grouped(Math.floor(free / MIB))} free, and ${mebibytes(bytes)} are needed: `
        + "free some space, or choose another disk"
    )
  }
}
