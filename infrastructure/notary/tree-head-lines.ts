import { Effect, Stream } from "effect"
import type { TreeHeadLine } from "../../ports/log-source.ts"
import { readTreeHead, treeHeadLine } from "../../domain/log-proof/tree-head.ts"
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
    const treeHead = readTreeHead(JSON.parse(text ?? ""))
    const isAsWritten = treeHead !== undefined && treeHeadLine(treeHead) === text
    return { place, treeHead: isAsWritten ? treeHead : undefined }
  } catch {
    return { place, treeHead: undefined }
  }
}
