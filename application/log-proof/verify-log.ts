import { Effect, Stream } from "effect"
import { formatPosition, isBefore, parsePosition, type Position } from "../../domain/events/recorded-event.ts"
import type { TreeHeadLine, LogEntry, LogSource, LogSourceError } from "../../ports/log-source.ts"
import { Hashing } from "../../ports/notary.ts"
import { makeExaminer, positionOf } from "./verify-log/examiner.ts"
import { type Expected, makeExpected } from "./verify-log/expected.ts"
import { type Finding, finding, makeFindings } from "./verify-log/findings.ts"

/** What a log is held against, beside its own checkpoints. What of it grows must be opened before the log is. */
export interface Evidence {
  /** The lines of the file of checkpoints; undefined when there is none. */
  readonly lines: Stream.Stream<TreeHeadLine, LogSourceError> | undefined
  /** How far the log was seen to go elsewhere, in words and as a position. */
  readonly seen: ReadonlyArray<{ readonly by: string; readonly position: Position }>
}

/** What came of examining a log. */
export interface LogVerdict {
  readonly isWhole: boolean
  readonly events: number
  /** Where the log ends. */
  readonly position: string
  /** Events that checkpoints cover. */
  readonly covered: number
  /** Events at the end that none covers yet, but for checkpoints. */
  readonly uncovered: number
  /** The newest checkpoint that the events were held against; null when there was none. */
  readonly checkpoint: { readonly number: number; readonly at: string; readonly position: string } | null
  /** The newest checkpoint of the file; 0 when it has none. */
  readonly inFile: number
  /** How many checkpoints each trusted key has signed. */
  readonly signedBy: Readonly<Record<string, number>>
  /** The first thousand. */
  readonly findings: ReadonlyArray<Finding>
  readonly findingCount: number
}

/**
 * Reads a log from its beginning and says whether its events are those that were signed: every checkpoint against the
 * events in front of it, the checkpoint before, the file and the public keys. Memory does not grow with the log.
 */
export const verifyLog = Effect.fn("verifyLog")(function* (
  source: LogSource,
  { lines, seen }: Evidence,
  onProgress: (events: number) => Effect.Effect<void> = () => Effect.void
) {
  const sha256 = yield* Hashing
  const findings = makeFindings()
  const expected = yield* makeExpected(source, lines, findings)
  const examiner = makeExaminer(sha256, findings)
  /** The events that the last checkpoint that was held against them covers. */
  let covered = 0
  let checkpoint: LogVerdict["checkpoint"] = null
  /** What the block that is open is held against; undefined when nothing covers it. */
  let current = yield* expected.take
  let end = endOf(current)
  /** One entry is held back until the one behind it is known. */
  let held: LogEntry | undefined

  const turn = Effect.gen(function* () {
    current = yield* expected.take
    end = endOf(current)
  })

  const close = Effect.suspend(() => {
    if (current === undefined) return Effect.void
    const { at, count, number, position } = current.checkpoint
    examiner.close(current)
    covered = count
    checkpoint = { number, at, position }
    return turn
  })

  const examine = function* (entry: LogEntry, next: LogEntry | undefined) {
    const placed = examiner.place(entry, next === undefined ? undefined : positionOf(next))
    const { reached } = placed
    while (end !== undefined && reached !== undefined && isBefore(end, reached)) yield* close
    examiner.add(placed)
    while (end !== undefined && reached !== undefined && !isBefore(reached, end)) yield* close
  }

  const readAll = source.events.pipe(
    Stream.runForEach(Effect.fnUntraced(function* (page) {
      for (const entry of page) {
        if (held !== undefined) yield* examine(held, entry)
        held = entry
      }
      yield* onProgress(examiner.events())
      // Embedded engines work synchronously: without this, nothing else would get its turn.
      yield* Effect.yieldNow
    })),
    Effect.andThen(Effect.gen(function* () {
      if (held !== undefined) yield* examine(held, undefined)
    }))
  )

  const isReadToTheEnd = yield* readAll.pipe(
    Effect.as(true),
    Effect.catchIf(({ isDamaged }) => isDamaged, ({ message }) =>
      Effect.sync(() => {
        findings.add(finding("unreadable", `${message}; what comes behind it was not looked at`, examiner.at()))
        return false
      }))
  )
  findings.add(...examiner.hints())
  const thatItEnds = `the log ends at position ${formatPosition(examiner.at())}`
  let furthest = current?.checkpoint
  while (current !== undefined) {
    furthest = current.checkpoint
    yield* turn
  }
  if (furthest !== undefined && isReadToTheEnd) {
    const { count, number, position } = furthest
    const what =
      `with ${examiner.counted()} events, but checkpoint ${number} covers ${count}, up to position ${position}`
    findings.add(
      finding("cut-off", `${thatItEnds} ${what}: the rest was cut off`, examiner.at(), parsePosition(position))
    )
  }
  for (const { by, position } of isReadToTheEnd ? seen : []) {
    if (!isBefore(examiner.at(), position)) continue
    const what = `but ${by} has seen it up to position ${formatPosition(position)}: the rest was cut off`
    findings.add(finding("cut-off", `${thatItEnds}, ${what}`, examiner.at(), position))
  }
  expected.finish()

  const verdict: LogVerdict = {
    isWhole: findings.count() === 0,
    events: examiner.events(),
    position: formatPosition(examiner.at()),
    covered,
    uncovered: examiner.uncovered(),
    checkpoint,
    inFile: expected.inFile(),
    signedBy: expected.signedBy(),
    findings: findings.all(),
    findingCount: findings.count()
  }
  return verdict
}, Effect.scoped)

const endOf = (expected: Expected | undefined): Position | undefined =>
  expected === undefined ? undefined : parsePosition(expected.checkpoint.position)
