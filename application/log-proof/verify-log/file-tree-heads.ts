import { Stream } from "effect"
import type { Checkpoint } from "../../../domain/log-proof/tree-head.ts"
import type { FileEntry, LogSourceError } from "../../../ports/log-source.ts"
import { finding, type Findings } from "./findings.ts"

/** The checkpoints of a file in their order. A line that is none, or out of its place, is found. */
export const fileCheckpoints = (lines: Stream.Stream<FileEntry, LogSourceError>, findings: Findings) => {
  let last = 0

  const judge = ({ checkpoint, place }: FileEntry): Checkpoint | undefined => {
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
