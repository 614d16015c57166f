import { Effect, Stream } from "effect"
import { type TreeHead, treeHeadLine, digestOf, signedText } from "../../../domain/log-proof/tree-head.ts"
import type { TreeHeadLine, LogSource, LogSourceError } from "../../../ports/log-source.ts"
import { Hashing, type SignatureStatus, SignatureVerifier } from "../../../ports/notary.ts"
import { makeCursor } from "./cursor.ts"
import { fileTreeHeads } from "./file-tree-heads.ts"
import { finding, type Findings, makeStretches } from "./findings.ts"
import { logTreeHeads } from "./log-tree-heads.ts"

/** A checkpoint that the events of the log are held against. */
export interface Expected {
  readonly checkpoint: TreeHead
  /** Signed by a key that is trusted. */
  readonly isTrusted: boolean
}

/**
 * The checkpoints of the log and those of the file beside it as one sequence, one at a time, as a log may have many.
 * What is wrong with them among themselves is found on the way, or told by `finish` in as few words as there are.
 */
export const makeExpected = Effect.fnUntraced(function* (
  source: LogSource,
  lines: Stream.Stream<TreeHeadLine, LogSourceError> | undefined,
  findings: Findings
) {
  const sha256 = yield* Hashing
  const witness = yield* SignatureVerifier
  const log = yield* makeCursor(yield* logTreeHeads(source, findings))
  const file = yield* makeCursor(fileTreeHeads(lines ?? Stream.empty, findings))
  const stretches = {
    nowhere: makeStretches(),
    onlyInLog: makeStretches(),
    onlyInFile: makeStretches(),
    different: makeStretches()
  }
  /** Those whose signature does not hold, by what is told of them. */
  const unsigned = new Map<string, ReturnType<typeof makeStretches>>()
  const signedBy = new Map<string, number>()
  let last: TreeHead | undefined
  /** The last one that the file has. */
  let inFile = 0

  const testimony = (checkpoint: TreeHead): SignatureStatus =>
    witness.judge(checkpoint.keyId, signedText(checkpoint), checkpoint.signature)

  const judgeSignature = (checkpoint: TreeHead): boolean => {
    const { keyId, number } = checkpoint
    const outcome = testimony(checkpoint)
    if (outcome === "signed") {
      signedBy.set(keyId, (signedBy.get(keyId) ?? 0) + 1)
      return true
    }
    const what = outcome === "not-signed"
      ? `not signed by key ${keyId}, as it says`
      : `signed by key ${keyId}, which is none of those that are trusted (${witness.keyIds.join(", ")})`
    const known = unsigned.get(what) ?? makeStretches()
    known.add(number)
    unsigned.set(what, known)
    return false
  }

  const judgeSequence = (checkpoint: TreeHead): void => {
    const { from, number, previous } = checkpoint
    const before = last?.number ?? 0
    if (before + 1 < number) stretches.nowhere.add(before + 1, number - 1)
    if (before !== number - 1) return
    const digest = last === undefined ? null : digestOf(sha256, last)
    if (previous !== digest || from !== (last?.count ?? 0)) {
      findings.add(finding("checkpoint", `checkpoint ${number} does not go on from checkpoint ${before}`))
    }
  }

  /** Of two that should be one, the one that is signed. */
  const chosen = (ofLog: TreeHead, ofFile: TreeHead): TreeHead => {
    if (treeHeadLine(ofLog) === treeHeadLine(ofFile)) return ofLog
    stretches.different.add(ofLog.number)
    return testimony(ofLog) !== "signed" && testimony(ofFile) === "signed" ? ofFile : ofLog
  }

  const nextOf = (ofLog: TreeHead | undefined, ofFile: TreeHead | undefined): TreeHead | undefined => {
    const number = Math.min(ofLog?.number ?? Infinity, ofFile?.number ?? Infinity)
    const isInLog = ofLog?.number === number
    const isInFile = ofFile?.number === number
    if (isInLog) log.drop()
    if (isInFile) {
      file.drop()
      inFile = number
    }
    if (isInLog && isInFile) return chosen(ofLog, ofFile)
    if (isInFile) stretches.onlyInFile.add(number)
    // A file that ends early is an old copy, or one line behind.
    else if (isInLog && ofFile !== undefined) stretches.onlyInLog.add(number)
    return isInLog ? ofLog : ofFile
  }

  return {
    /** The next one; undefined when there is none any more. */
    take: Effect.gen(function* () {
      const next = nextOf(yield* log.peek, yield* file.peek)
      if (next === undefined) return undefined
      judgeSequence(next)
      last = next
      const expected: Expected = { checkpoint: next, isTrusted: judgeSignature(next) }
      return expected
    }),
    finish: () => {
      const tell = (told: ReadonlyArray<string>, what: string, kind: "checkpoint" | "signature" = "checkpoint") =>
        findings.add(...told.map((which) => finding(kind, `${which}: ${what}`)))
      tell(stretches.nowhere.told(), `missing from the log${lines === undefined ? "" : ", and from the file"}`)
      tell(stretches.onlyInFile.told(), "in the file, but not in the log")
      tell(stretches.onlyInLog.told(), "in the log, but missing from the file, which goes on")
      tell(stretches.different.told(), "another one in the file than in the log")
      for (const [what, numbers] of unsigned) tell(numbers.told(), what, "signature")
    },
    /** The newest one that was taken. */
    last: () => last,
    inFile: () => inFile,
    /** How many checkpoints each trusted key has signed. */
    signedBy: (): Readonly<Record<string, number>> => Object.fromEntries(signedBy)
  }
})
