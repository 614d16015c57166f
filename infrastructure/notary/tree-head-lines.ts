import { Effect, Stream } from "effect"
import type { TreeHeadLine } from "../../ports/log-source.ts"
import { treeHeadLine, readTreeHead } from "../../domain/log-proof/tree-head.ts"
import { type Line, openLines } from "./lines.ts"

/** The lines of a file of checkpoints, up to where it ends now. One that a crash cut off at the end is left out. */
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
    const checkpoint = readTreeHead(JSON.parse(text ?? ""))
    const isAsWritten = checkpoint !== undefined && treeHeadLine(checkpoint) === text
    return { place, checkpoint: isAsWritten ? checkpoint : undefined }
  } catch {
    return { place, checkpoint: undefined }
  }
}
