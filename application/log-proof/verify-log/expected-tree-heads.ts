import { Cause, Effect, Stream } from "effect"
import { formatPosition, isBefore, parsePosition } from "../../../domain/events/recorded-event.ts"
import { canonicalJson } from "../../../domain/log-proof/canonical-json.ts"
import { digestOf, signedText, type TreeHead, treeHeadLine } from "../../../domain/log-proof/tree-head.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import type { LoggedEvent, LogSource, LogSourceError, TreeHeadLine } from "../../../ports/log-source.ts"
import { Hashing, type SignatureStatus, SignatureVerifier } from "../../../ports/notary.ts"
import { treeHeadEvent, treeHeadOf } from "../tree-head-chain.ts"
import { finding, type FindingKind, type Findings } from "./findings.ts"

/** A tree head that the events of the log are compared with. */
export interface Expected {
  readonly treeHead: TreeHead
  /** A trusted key signed it. */
  readonly isTrusted: boolean
}

/**
 * Merges the tree heads of the log and of the file into one sequence. It reads them one at a time, because a log may have
 * very many. It reports faults of single tree heads at once; `finish` reports the other faults as ranges of numbers.
 */
export const makeExpectedTreeHeads = Effect.fnUntraced(function* (
  source: LogSource,
  lines: Stream.Stream<TreeHeadLine, LogSourceError> | undefined,
  findings: Findings
) {
  const sha256 = yield* Hashing
  const verifier = yield* SignatureVerifier
  const log = yield* makeCursor(yield* treeHeadsOfLog(source, findings))
  const file = yield* makeCursor(treeHeadsOfFile(lines ?? Stream.empty, findings))
  const ranges = {
    missing: makeRanges(),
    onlyInLog: makeRanges(),
    onlyInFile: makeRanges(),
    different: makeRanges()
  }
  /** Tree heads without a valid signature, by message. */
  const unsigned = new Map<string, ReturnType<typeof makeRanges>>()
  const signedBy = new Map<string, number>()
  let last: TreeHead | undefined
  let lastInFile = 0

  const statusOf = (treeHead: TreeHead): SignatureStatus =>
    verifier.check(treeHead.keyId, signedText(treeHead), treeHead.signature)

  const checkSignature = (treeHead: TreeHead): boolean => {
    const { keyId, number } = treeHead
    const status = statusOf(treeHead)
    if (status === "valid") {
      signedBy.set(keyId, (signedBy.get(keyId) ?? 0) + 1)
      return true
    }
    const message = status === "invalid"
      ? `the signature does not match key ${keyId}`
      : `signed by key ${keyId}, which is not a trusted key (trusted: ${verifier.keyIds.join(", ")})`
    const numbers = unsigned.get(message) ?? makeRanges()
    numbers.add(number)
    unsigned.set(message, numbers)
    return false
  }

  const checkSequence = ({ from, number, previous }: TreeHead): void => {
    const before = last?.number ?? 0
    if (before + 1 < number) ranges.missing.add(before + 1, number - 1)
    if (before !== number - 1) return
    const digest = last === undefined ? null : digestOf(sha256, last)
    if (previous !== digest || from !== (last?.count ?? 0)) {
      findings.add(finding("checkpoint", `tree head ${number} does not continue tree head ${before}`))
    }
  }

  /** Of two tree heads with the same number, returns the one with a valid signature. */
  const choose = (ofLog: TreeHead, ofFile: TreeHead): TreeHead => {
    if (treeHeadLine(ofLog) === treeHeadLine(ofFile)) return ofLog
    ranges.different.add(ofLog.number)
    return statusOf(ofLog) !== "valid" && statusOf(ofFile) === "valid" ? ofFile : ofLog
  }

  const next = (ofLog: TreeHead | undefined, ofFile: TreeHead | undefined): TreeHead | undefined => {
    const number = Math.min(ofLog?.number ?? Infinity, ofFile?.number ?? Infinity)
    const isInLog = ofLog?.number === number
    const isInFile = ofFile?.number === number
    if (isInLog) log.drop()
    if (isInFile) {
      file.drop()
      lastInFile = number
    }
    if (isInLog && isInFile) return choose(ofLog, ofFile)
    if (isInFile) ranges.onlyInFile.add(number)
    // A file that ends early is no fault: it may be an old copy, or one line late.
    else if (isInLog && ofFile !== undefined) ranges.onlyInLog.add(number)
    return isInLog ? ofLog : ofFile
  }

  const report = (numbers: ReturnType<typeof makeRanges>, message: string, kind: FindingKind = "checkpoint") =>
    findings.add(...numbers.format().map((which) => finding(kind, `${which}: ${message}`)))

  return {
    /** Takes the next tree head; undefined at the end. */
    take: Effect.gen(function* () {
      const treeHead = next(yield* log.peek, yield* file.peek)
      if (treeHead === undefined) return undefined
      checkSequence(treeHead)
      last = treeHead
      return { treeHead, isTrusted: checkSignature(treeHead) } satisfies Expected
    }),
    finish: () => {
      report(ranges.missing, `missing from the log${lines === undefined ? "" : ", and from the file"}`)
      report(ranges.onlyInFile, "in the file, but not in the log")
      report(ranges.onlyInLog, "in the log, but missing from the file, which has later ones")
      report(ranges.different, "differs between the file and the log")
      for (const [message, numbers] of unsigned) report(numbers, message, "signature")
    },
    /** Number of the newest tree head in the file; 0 without one. */
    inFile: () => lastInFile,
    /** Tree heads per trusted key that signed them. */
    signedBy: (): Readonly<Record<string, number>> => Object.fromEntries(signedBy)
  }
})

/**
 * The tree heads of the log in ascending order. Reports an event in their stream that is not a tree head, or differs from
 * the appended event. The event checker reports unreadable events.
 */
const treeHeadsOfLog = Effect.fnUntraced(function* (source: LogSource, findings: Findings) {
  const sha256 = yield* Hashing
  const identifiers = yield* Identifiers
  let last = 0

  /** Compares all fields, because no tree head covers the newest tree head. */
  const isAsAppended = ({ id, metadata, revision, type }: LoggedEvent, treeHead: TreeHead): boolean => {
    const appended = treeHeadEvent(sha256, identifiers, treeHead)
    return revision === treeHead.number - 1
      && canonicalJson([id, type, metadata]) === canonicalJson([appended.id, appended.type, appended.metadata])
  }

  const check = (event: LoggedEvent): TreeHead | undefined => {
    const { position } = event
    const report = (what: string): undefined => {
      findings.add(finding("checkpoint", `the event at position ${formatPosition(position)} ${what}`, position))
    }
    const treeHead = treeHeadOf(event)
    if (treeHead === undefined) return report("is in the stream of tree heads, but is not a tree head")
    const { number } = treeHead
    if (number <= last) return report(`is tree head ${number}, but comes after tree head ${last}`)
    last = number
    const end = parsePosition(treeHead.position)
    if (!isAsAppended(event, treeHead)) report(`differs from tree head ${number} as it was appended`)
    if (end === undefined || !isBefore(end, position)) report(`is tree head ${number}, but claims to cover itself`)
    return treeHead
  }

  return source.treeHeads.pipe(
    Stream.map((entry) => entry._tag === "Event" ? check(entry.event) : undefined),
    Stream.filter((treeHead) => treeHead !== undefined)
  )
})

/** The tree heads of the file in ascending order. Reports a line that is not a tree head, or is out of order. */
const treeHeadsOfFile = (lines: Stream.Stream<TreeHeadLine, LogSourceError>, findings: Findings) => {
  let last = 0

  const check = ({ place, treeHead }: TreeHeadLine): TreeHead | undefined => {
    const report = (what: string): undefined => {
      findings.add(finding("checkpoint", `${place} is ${what}`))
    }
    if (treeHead === undefined) return report("not a tree head")
    const { number } = treeHead
    if (number <= last) return report(`tree head ${number}, but comes after tree head ${last}`)
    last = number
    return treeHead
  }

  return lines.pipe(Stream.map(check), Stream.filter((treeHead) => treeHead !== undefined))
}

/** Reads a stream one element at a time: `peek` gives the same element until `drop`, undefined at the end. */
const makeCursor = Effect.fnUntraced(function* <A, E>(stream: Stream.Stream<A, E>) {
  const pull = yield* Stream.toPull(stream)
  let page: ReadonlyArray<A> = []
  let at = 0
  let isDone = false

  const nextPage = Effect.matchEffect(pull, {
    onSuccess: (next) =>
      Effect.sync(() => {
        page = next
        at = 0
      }),
    onFailure: (error) => {
      if (!Cause.isDone(error)) return Effect.fail(error)
      isDone = true
      return Effect.void
    }
  })

  return {
    peek: Effect.gen(function* () {
      while (at >= page.length && !isDone) yield* nextPage
      return page[at]
    }),
    drop: (): void => {
      at++
    }
  }
})

/** Collects ascending numbers and formats them as ranges: `tree head 3`, `tree heads 7 to 12`. */
const makeRanges = () => {
  const ranges: Array<{ readonly from: number; readonly to: number }> = []
  return {
    /** Adds a whole range in one step, because a forged number may be very large. */
    add: (from: number, to = from) => {
      const last = ranges.at(-1)
      if (last?.to === from - 1) ranges[ranges.length - 1] = { from: last.from, to }
      else ranges.push({ from, to })
    },
    format: () => ranges.map(({ from, to }) => from === to ? `tree head ${from}` : `tree heads ${from} to ${to}`)
  }
}
