import { Effect, type Scope } from "effect"
import type { Format } from "../../../application/trail/export-format.ts"
import { type CommandFailed, markIncomplete, unavailable } from "./exit.ts"
import { writeTo } from "./export-target.ts"
import { newFileOr } from "./new-file.ts"
import { makeProgress, note } from "./output.ts"
import { receiveLines } from "./receive-lines.ts"
import type { ReadPart } from "./request.ts"

const NEWLINE = "\n"

const countOf = (lines: string): number => {
  let count = 0
  for (let at = lines.indexOf(NEWLINE); at !== -1; at = lines.indexOf(NEWLINE, at + 1)) count++
  return count
}

const lastOf = (lines: string): string => lines.slice(lines.lastIndexOf(NEWLINE, lines.length - 2) + 1)

/**
 * Writes an export that a service sends, as it arrives. Returns how many events were written and the position of the last
 * one; undefined when the reader of standard output closed the pipe. A file has its name only when the export is whole.
 * Standard output has whole lines only.
 */
export const exportFromService = Effect.fnUntraced(
  function* (
    opened: Effect.Effect<ReadPart, CommandFailed, Scope.Scope>,
    { header, placeOf }: Pick<Format, "header" | "placeOf">,
    out: string | undefined
  ) {
    const target = yield* newFileOr(out)
    const write = writeTo(target)
    const progress = yield* makeProgress
    yield* progress.report("waiting for the service")
    const reached: { count: number; at: string | undefined } = { count: header === "" ? 0 : -1, at: undefined }
    const outcome = () => {
      const { at, count } = reached
      if (out !== undefined) return `${out} was not written`
      return at === undefined ? "no event was written" : `${count} events were written, up to position ${at}: `
        + "continue with --after and that position"
    }

    const take = Effect.fnUntraced(function* (lines: string) {
      if (out === undefined) yield* progress.clear
      yield* write(lines)
      reached.count += countOf(lines)
      reached.at = placeOf(lastOf(lines))?.position
      yield* progress.report(`${reached.count.toLocaleString("en-US")} events`)
    }, Effect.uninterruptible)

    const isWhole = yield* opened.pipe(
      Effect.flatMap((read) =>
        Effect.catchTag(
          receiveLines(read, take),
          "CommandFailed",
          ({ message }) => Effect.fail(unavailable(`${message}; ${outcome()}`))
        )
      ),
      Effect.as(true),
      Effect.catchTag("PipeClosed", () => Effect.succeed(false)),
      Effect.onInterrupt(() => Effect.andThen(markIncomplete, note(`sliptrail: stopped: ${outcome()}`)))
    )
    if (!isWhole) return undefined
    yield* target.finish
    return { count: Math.max(0, reached.count), at: reached.at }
  },
  Effect.scoped
)
