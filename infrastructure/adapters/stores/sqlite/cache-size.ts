import { statSync } from "node:fs"

const KIBIBYTES = { least: 16_384, most: 65_536 }

/**
 * The `cache_size` of a connection that writes a file: room for the inner pages of its trees, about a hundredth of the file.
 * Without it, each entry that comes at a random place of a large tree costs a second read of the file.
 */
export const cacheSizeOf = (file: string): number => {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  return -Math.min(KIBIBYTES.most, Math.max(KIBIBYTES.least, Math.ceil(bytes / 100 / 1024)))
}
