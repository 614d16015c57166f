import { Data, Effect } from "effect"
import { EventStore, formatPosition, isBehind, type Position, type RecordedEvent } from "../../../application/ports/event-store.ts"
import { type ExportAsked, exportEvents, type ExportPage, isSelected } from "../../../application/queries/export.ts"
import { cannotRun, leaveUndone } from "../exit.ts"
import { note } from "../output.ts"
import { makeProgress } from "../progress.ts"
import { bar } from "./bar.ts"
import type { Format } from "./format.ts"
import type { Target } from "./target.ts"

/** One run of an export. */
export interface Run<E, R> {
  readonly asked: ExportAsked
  /** Behind which it begins, where the target does not say so itself. */
  readonly after: Position
  readonly format: Format
  readonly target: Target
  /** How an event is shown. */
  readonly show: (event: RecordedEvent) => Effect.Effect<RecordedEvent, E, R>
}

/** What became of it. */
export interface Exported {
  readonly count: number
  readonly at: Position
}

/** Nobody reads on: there is nobody to tell, and nothing went wrong. */
class NobodyReads extends Data.TaggedError("NobodyReads")<{}> {}

const foreign = () =>
  cannotRun(
    "the file is there, and this command would not have written its last line: " +
      "go on with the flags that it was begun with, or name another file"
  )

/** Where the target ends already: its last line must be what would be written now for the event that it tells of. */
const reached = Effect.fnUntraced(function*<E, R>({ after, asked, format, show, target: { last } }: Run<E, R>) {
  if (last === undefined) return after
  const place = format.placeOf(last)
  if (place === undefined) return yield* foreign()
  const { position, revision, stream } = place
  const [event] = yield* (yield* EventStore).readStream(stream, { from: revision, limit: 1 })
  if (event === undefined || formatPosition(event.position) !== position) return yield* foreign()
  if (!isSelected(event, asked) || format.line(yield* show(event)) !== last) return yield* foreign()
  return isBehind(event.position, after) ? after : event.position
})

/**
 * Exports behind what the target has already, a page at a time; undefined when nobody reads on. However it is stopped,
 * only whole lines have been written, and it says from where to go on.
 */
export const runExport = Effect.fnUntraced(function*<E, R>(run: Run<E, R>) {
  const { asked, format, show, target } = run
  const progress = yield* makeProgress
  const write = (lines: string) =>
    Effect.filterOrFail(target.write(lines), (isRead) => isRead, () => new NobodyReads())

  let at = yield* reached(run)
  let count = 0
  const take = Effect.fnUntraced(function*({ at: reached, events, head }: ExportPage) {
    const shown = yield* Effect.forEach(events, show)
    yield* progress.clear
    if (shown.length > 0) yield* write(shown.map(format.line).join(""))
    // What was written and what is known of it are never apart.
    count += shown.length
    at = reached
    yield* progress.say(`${bar(Number(at.commit), Number(head.commit))}  ${count.toLocaleString("en-US")} events`)
  }, Effect.uninterruptible)

  const isRead = yield* Effect.andThen(
    target.isBegun || format.header === "" ? Effect.void : write(format.header),
    exportEvents(asked, at, take)
  ).pipe(
    Effect.as(true),
    Effect.catchTag("NobodyReads", () => Effect.succeed(false)),
    Effect.onInterrupt(() =>
      Effect.andThen(leaveUndone, note(`sliptrail: stopped after ${count} events, up to ${formatPosition(at)}: ${GO_ON}`)))
  )
  if (!isRead) return undefined
  yield* target.finish
  return { count, at } satisfies Exported
}, Effect.scoped)

const GO_ON = "go on with --after that position, or with --out by the same command"
