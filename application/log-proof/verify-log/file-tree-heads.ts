import { Stream } from "effect"
import type { TreeHead } from "../../../domain/log-proof/tree-head.ts"
import type { TreeHeadLine, LogSourceError } from "../../../ports/log-source.ts"
import { finding, type Findings } from "./findings.ts"

/** The checkpoints of a file in their order. A line that is none, or out of its place, is found. */
export const fileTreeHeads = (lines: Stream.Stream<TreeHeadLine, LogSourceError>, findings: Findings) => {
  let last = 0

  const judge = ({ checkpoint, place }: TreeHeadLine): TreeHead | undefined => {
    if (checkpoint === undefined) {
      findings.add(finding("checkpoint", `${place} is no checkpoint`))
    } else if (checkpoint.number <= last) {
      const what = `checkpoint ${checkpoint.number}, which stands behind checkpoint ${last}`
      findings.add(finding("checkpoint", `${place} is ${what}`))
    } else {
      last = checkpoint.number
      return checkpoint
    }
    return undefined
  }

  return lines.pipe(Stream.map(judge), Stream.filter((checkpoint) => checkpoint !== undefined))
}
