import { Effect } from "effect"
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { MAX_IMAGE_BYTES } from "../../ports/slip-reader.ts"
import { formatOf } from "../pictures/header.ts"

/** A file to look at, or why there is none. */
export type Found =
  | { readonly _tag: "File"; readonly file: string }
  | { readonly _tag: "Unusable"; readonly file: string; readonly why: string }

/**
 * The files that paths stand for. A folder stands for every picture in it and below it, in the order of their names;
 * pictures are known by their first bytes, whatever they are called. What was named itself is taken whatever it is.
 */
export const findPictures = (paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Found>> =>
  Effect.sync(() => paths.flatMap(look))

/** The bytes of a picture; of a file that is too large only enough to say so. Fails with what is wrong. */
export const readPicture = (file: string): Effect.Effect<Uint8Array, string> =>
  Effect.try({
    try: () => statSync(file).size > MAX_IMAGE_BYTES ? readStart(file, MAX_IMAGE_BYTES + 1) : readFileSync(file),
    catch: whyNot
  })

const look = (path: string): ReadonlyArray<Found> => {
  try {
    if (!statSync(path).isDirectory()) return [{ _tag: "File", file: path }]
    const found = picturesBelow(path)
    return found.length > 0 ? found : [{ _tag: "Unusable", file: path, why: "there is no picture in this folder" }]
  } catch (cause) {
    return [{ _tag: "Unusable", file: path, why: whyNot(cause) }]
  }
}

const picturesBelow = (folder: string): ReadonlyArray<Found> =>
  readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => one.name < other.name ? -1 : 1)
    .flatMap((entry): ReadonlyArray<Found> => {
      const path = join(folder, entry.name)
      // Links to folders are not followed: they may lead in a circle.
      if (entry.isDirectory()) return picturesOrWhyNot(path)
      return isPicture(path) ? [{ _tag: "File", file: path }] : []
    })

const picturesOrWhyNot = (folder: string): ReadonlyArray<Found> => {
  try {
    return picturesBelow(folder)
  } catch (cause) {
    return [{ _tag: "Unusable", file: folder, why: whyNot(cause) }]
  }
}

/** What can't be opened, such as a socket or a link to nothing, is no picture. */
const isPicture = (file: string): boolean => {
  try {
    return statSync(file).isFile() && formatOf(readStart(file, MAGIC_BYTES)) !== undefined
  } catch {
    return false
  }
}

const MAGIC_BYTES = 16

const readStart = (file: string, bytes: number): Uint8Array => {
  const start = new Uint8Array(bytes)
  const descriptor = openSync(file, "r")
  try {
    return start.subarray(0, readSync(descriptor, start))
  } finally {
    closeSync(descriptor)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "reading it is not permitted",
  EPERM: "reading it is not permitted"
}

const whyNot = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return reasons[code] ?? `it cannot be read: ${String(cause)}`
}
