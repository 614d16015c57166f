import { Data, Effect } from "effect"
import { formatPosition, type Position } from "../../../domain/events/recorded-event.ts"
import type { ExportPage } from "../../../application/trail/export.ts"
import { leaveUndone } from "../exit.ts"
import { note } from "../output.ts"
import { makeProgress } from "../progress.ts"
import { bar } from "./bar.ts"
import { placeReached } from "./place-reached.ts"
import type { Run } from "./run.ts"

/** What became of it. */
export interface Exported {
  readonly count: number
  readonly at: Position
}

/** Nobody reads on: there is nobody to tell, and nothing went wrong. */
class NobodyReads extends Data.TaggedError("NobodyReads")<{}> {}

/**
 * Exports behind what the target has already, a page at a time; undefined when nobody reads on. However it is stopped,
 * only whole lines have been written, and it says from where to go on.
 */
export const runExport = Effect.fnUntraced(function* <E, R>(run: Run<E, R>) {
  const { format, selection, show, target } = run
  const progress = yield* makeProgress
  const write = (lines: string) => Effect.filterOrFail(target.write(lines), (isRead) => isRead, () => new NobodyReads())

  let at = yield* placeReached(run)
  let count = 0
  const take = Effect.fnUntraced(function* ({ at: reached, events, head }: ExportPage) {
    const shown = yield* Effect.forEach(events, show)
    yield* progress.clear
    if (shown.length > 0) yield* write(shown.map(format.line).join(""))
    // What was written and what is known of it are never apart.
    count += shown.length
    at = reached
    yield* progress.say(`${bar(Number(at.commit), Number(head.commit))}  ${count.toLocaleString("en-US")} events`)
  }, Effect.uninterruptible)

  const end = yield* Effect.andThen(
    target.isBegun || format.header === "" ? Effect.void : write(format.header),
    selection.pages(at, take)
  ).pipe(
    Effect.catchTag("NobodyReads", () => Effect.undefined),
    Effect.onInterrupt(() =>
      Effect.andThen(
        leaveUndone,
        note(`sliptrail: stopped after ${count} events, up to ${formatPosition(at)}: ${GO_ON}`)
      )
    )
  )
  if (end === undefined) return undefined
  yield* target.finish
  return { count, at: end } satisfies Exported
}, Effect.scoped)

const GO_ON = "go on with --after that position, or with --out by the same command"
