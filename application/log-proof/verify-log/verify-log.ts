import { Effect, Stream } from "effect"
import { formatPosition, isBefore, parsePosition, type Position } from "../../../domain/events/recorded-event.ts"
import type { LogEntry, LogSource, LogSourceError, TreeHeadLine } from "../../../ports/log-source.ts"
import { Hashing } from "../../../ports/notary.ts"
import { makeEventChecker, positionOf } from "./event-checker.ts"
import { type Expected, makeExpectedTreeHeads } from "./expected-tree-heads.ts"
import { type Finding, finding, makeFindings } from "./findings.ts"
import { makeQuotaChecker } from "./quota-checker.ts"

/** Evidence beside the log's own tree heads. Open it before the log, because the log may grow meanwhile. */
export interface Evidence {
  /** The lines of the file of tree heads; undefined without a file. */
  readonly lines: Stream.Stream<TreeHeadLine, LogSourceError> | undefined
  /** Positions that other sources recorded for the log; `by` names the source for a person. */
  readonly seen: ReadonlyArray<{ readonly by: string; readonly position: Position }>
}

export interface LogVerdict {
  readonly isWhole: boolean
  readonly events: number
  /** The position of the end of the log. */
  readonly position: string
  /** Events that tree heads cover. */
  readonly covered: number
  /** Events at the end that no tree head covers yet, without tree heads. */
  readonly uncovered: number
  /** The newest tree head that events were compared with; null without one. */
  readonly checkpoint: { readonly number: number; readonly at: string; readonly position: string } | null
  /** Number of the newest tree head in the file; 0 without one. */
  readonly inFile: number
  /** Tree heads per trusted key that signed them. */
  readonly signedBy: Readonly<Record<string, number>>
  /** The first thousand. */
  readonly findings: ReadonlyArray<Finding>
  readonly findingCount: number
}

/**
 * Reads a log from its beginning. Compares every tree head with the events before it, the previous tree head, the file
 * and the trusted keys. Compares the charges of each month with the quotas. Memory does not grow with the log.
 */
export const verifyLog = Effect.fn("verifyLog")(function* (
  source: LogSource,
  { lines, seen }: Evidence,
  onProgress: (events: number) => Effect.Effect<void> = () => Effect.void
) {
  const sha256 = yield* Hashing
  const findings = makeFindings()
  const expected = yield* makeExpectedTreeHeads(source, lines, findings)
  const checker = makeEventChecker(sha256, findings)
  const quotas = makeQuotaChecker(findings)
  let covered = 0
  let checkpoint: LogVerdict["checkpoint"] = null
  /** The tree head that covers the open block; undefined when none does. */
  let current: Expected | undefined
  let end: Position | undefined
  /** The latest entry. It is checked together with the next one. */
  let previous: LogEntry | undefined

  const takeNext = Effect.gen(function* () {
    current = yield* expected.take
    end = current === undefined ? undefined : parsePosition(current.treeHead.position)
  })

  const close = Effect.suspend(() => {
    if (current === undefined) return Effect.void
    const { at, count, number, position } = current.treeHead
    checker.close(current)
    covered = count
    checkpoint = { number, at, position }
    return takeNext
  })

  const check = function* (entry: LogEntry, next: LogEntry | undefined) {
    const ordered = checker.checkOrder(entry, next === undefined ? undefined : positionOf(next))
    const { reached } = ordered
    while (end !== undefined && reached !== undefined && isBefore(end, reached)) yield* close
    checker.add(ordered)
    if (entry._tag === "Event") quotas.add(entry.event)
    while (end !== undefined && reached !== undefined && !isBefore(reached, end)) yield* close
  }

  yield* takeNext
  const isReadToTheEnd = yield* source.events.pipe(
    Stream.runForEach(Effect.fnUntraced(function* (page) {
      for (const entry of page) {
        if (previous !== undefined) yield* check(previous, entry)
        previous = entry
      }
      yield* onProgress(checker.events())
      // Embedded engines work synchronously: without this, the command would not react to signals.
      yield* Effect.yieldNow
    })),
    Effect.andThen(Effect.gen(function* () {
      if (previous !== undefined) yield* check(previous, undefined)
    })),
    Effect.as(true),
    Effect.catchIf(({ isDamaged }) => isDamaged, ({ message }) =>
      Effect.sync(() => {
        findings.add(finding("unreadable", `${message}; the log after it was not checked`, checker.at()))
        return false
      }))
  )
  findings.add(...checker.hints())
  quotas.finish()

  const endsAt = `the log ends at position ${formatPosition(checker.at())}`
  let furthest: Expected | undefined
  while (current !== undefined) {
    furthest = current
    yield* takeNext
  }
  if (furthest !== undefined && isReadToTheEnd) {
    const { count, number, position } = furthest.treeHead
    const what = `with ${checker.counted()} events, but tree head ${number} covers ${count}, up to position ${position}`
    findings.add(
      finding("cut-off", `${endsAt} ${what}: the rest was cut off`, checker.at(), parsePosition(position))
    )
  }
  for (const { by, position } of isReadToTheEnd ? seen : []) {
    if (!isBefore(checker.at(), position)) continue
    const what = `but ${by} has reached position ${formatPosition(position)}: the rest was cut off`
    findings.add(finding("cut-off", `${endsAt}, ${what}`, checker.at(), position))
  }
  expected.finish()

  const verdict: LogVerdict = {
    isWhole: findings.count() === 0,
    events: checker.events(),
    position: formatPosition(checker.at()),
    covered,
    uncovered: checker.uncovered(),
    checkpoint,
    inFile: expected.inFile(),
    signedBy: expected.signedBy(),
    findings: findings.all(),
    findingCount: findings.count()
  }
  return verdict
}, Effect.scoped)
