import { Effect } from "effect"
import type { ExportPage, Selection } from "../../../application/trail/export.ts"
import type { Format } from "../../../application/trail/export-format.ts"
import type { ExportedEvent } from "../../../application/trail/export-lines.ts"
import { formatPosition, isBefore, type Position, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { notReplaced, type Target, writeTo } from "./export-target.ts"
import { markIncomplete } from "./exit.ts"
import { makeProgress, note } from "./output.ts"

export interface ExportRun<E, R> {
  readonly selection: Selection
  /** The export begins after this position unless the target contains an unfinished export. */
  readonly after: Position
  readonly format: Format
  readonly target: Target
  readonly show: (event: RecordedEvent) => Effect.Effect<ExportedEvent, E, R>
}

/**
 * The position after which an export continues. The target must contain the same export: its last line must equal the
 * line that this export writes for the same event.
 */
export const resumePosition = Effect.fnUntraced(function* <E, R>(
  { after, format, selection, show, target }: ExportRun<E, R>
) {
  const { lines } = target
  if (lines === undefined) return after
  const mark = format.markOf(lines.last)
  if (mark !== format.mark) {
    return yield* notReplaced(target.name, `it is an export of "${mark}", and this one is of "${format.mark}"`)
  }
  const lastLineChanged = notReplaced(
    target.name,
    `it is an export of "${mark}", but its last line differs from what this command writes: the file was changed, is `
      + "from another log, or contains data that was erased since"
  )
  const place = format.placeOf(lines.last)
  if (place === undefined) return yield* lastLineChanged
  const { readAll, readStream } = yield* EventStore
  const [event] = yield* readStream(place.stream, { from: place.revision, limit: 1 })
  if (event === undefined || formatPosition(event.position) !== place.position) return yield* lastLineChanged
  if (!selection.has(event) || format.line(yield* show(event)) !== lines.last) return yield* lastLineChanged
  if (!format.isMarked) {
    const [first] = yield* readAll({ after, limit: 1 })
    if (first === undefined || format.line(yield* show(first)) !== lines.first) {
      return yield* notReplaced(
        target.name,
        `it is an export of "${mark}" that begins with another event: the two commands have a different --after`
      )
    }
  }
  return isBefore(event.position, after) ? after : event.position
})

/**
 * Exports page by page. Returns how many events were written and the position reached; undefined when the reader of
 * standard output closed the pipe. An interrupted export has written whole lines only, and prints how to continue.
 */
export const runExport = Effect.fnUntraced(function* <E, R>(run: ExportRun<E, R>) {
  const { format, selection, show, target } = run
  const progress = yield* makeProgress
  const write = writeTo(target)

  let at = yield* resumePosition(run)
  let count = 0
  // Uninterruptible: the count and the position always agree with what was written.
  const writePage = Effect.fnUntraced(function* ({ at: reached, events, head }: ExportPage) {
    const shown = yield* Effect.forEach(events, show)
    yield* progress.clear
    if (shown.length > 0) yield* write(shown.map(format.line).join(""))
    count += shown.length
    at = reached
    yield* progress.report(`${count.toLocaleString("en-US")} events`, Number(at.commit), Number(head.commit))
  }, Effect.uninterruptible)

  const end = yield* Effect.andThen(
    target.hasHeader || format.header === "" ? Effect.void : write(format.header),
    selection.pages(at, writePage)
  ).pipe(
    Effect.catchTag("PipeClosed", () => Effect.undefined),
    Effect.onInterrupt(() =>
      Effect.andThen(
        markIncomplete,
        note(
          `sliptrail: stopped after ${count} events, up to position ${formatPosition(at)}: continue with --after and `
            + "that position, or with the same command if it has --out"
        )
      )
    )
  )
  if (end === undefined) return undefined
  yield* target.finish
  return { count, at: end }
}, Effect.scoped)
