import { Cause, Data, Effect, Exit } from "effect"
import { EventStore, formatPosition, isBehind, type Position, type RecordedEvent } from "../../../application/ports/event-store.ts"
import { type ExportAsked, exportEvents, isSelected } from "../../../application/queries/export.ts"
import { cannotRun } from "../exit.ts"
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
 * Exports behind what the target has already, a page at a time. However it is stopped, only whole lines have been
 * written, and it says from where to go on.
 */
export const runExport = Effect.fnUntraced(function*<E, R>(run: Run<E, R>) {
  const { asked, format, show, target } = run
  const progress = yield* makeProgress
  const write = (lines: string) =>
    Effect.filterOrFail(target.write(lines), (isRead) => isRead, () => new NobodyReads())

  let at = yield* reached(run)
  let count = 0
  if (!target.isBegun) yield* write(format.header)
  yield* exportEvents(asked, at, (page) =>
    Effect.gen(function*() {
      const shown = yield* Effect.forEach(page.events, show)
      yield* progress.clear
      if (shown.length > 0) yield* write(shown.map(format.line).join(""))
      // What was written and what is known of it are never apart.
      count += shown.length
      at = page.at
      yield* progress.say(`${bar(Number(at.commit), Number(page.head.commit))}  ${count.toLocaleString("en-US")} events`)
    }).pipe(Effect.uninterruptible)).pipe(
      Effect.catchTag("NobodyReads", () => Effect.void),
      Effect.onExit((exit) =>
        Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
          ? Effect.fail(cannotRun(`stopped after ${count} events, up to ${formatPosition(at)}: ${GO_ON}`))
          : Effect.void)
    )
  yield* target.finish
  return { count, at } satisfies Exported
}, Effect.scoped)

const GO_ON = "go on with --after that position, or with --out by the same command"
