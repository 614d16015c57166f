import { Effect } from "effect"
import { type CommandFailed, unavailable } from "./exit.ts"
import type { ReadPart } from "./request.ts"

const NEWLINE = 10

/** An append of the log holds at most one mebibyte, a CSV doubles its quotes, and a proof holds the events of one job. */
const MAX_BYTES = 64 * 1024 * 1024

const tooLong = unavailable(
  `the answer has a line of more than ${MAX_BYTES} bytes: it is not of a service of SlipTrail`
)

const cut = unavailable("the answer ended within a line: it is incomplete")

/**
 * Passes whole lines of a file to `take`, as they arrive. The next part is read after `take` returns, so the memory that
 * it needs does not grow with the file.
 */
export const receiveLines = Effect.fnUntraced(function* <E, R>(
  read: ReadPart,
  take: (lines: string) => Effect.Effect<void, E, R>
) {
  const rest: Array<Uint8Array> = []
  let restBytes = 0
  while (true) {
    const part = yield* read
    if (part === undefined) break
    const end = part.lastIndexOf(NEWLINE) + 1
    const tail = part.subarray(end)
    if (end > 0) {
      yield* take(Buffer.concat([...rest, part.subarray(0, end)]).toString())
      rest.length = 0
      restBytes = 0
    }
    rest.push(tail)
    restBytes += tail.length
    if (restBytes > MAX_BYTES) return yield* tooLong
  }
  if (restBytes > 0) return yield* cut
})

/** The whole text of a short file. */
export const receiveText = Effect.fnUntraced(function* (read: ReadPart): Effect.fn.Return<string, CommandFailed> {
  const lines: Array<string> = []
  let length = 0
  yield* receiveLines(
    read,
    Effect.fnUntraced(function* (text) {
      length += text.length
      if (length > MAX_BYTES) return yield* tooLong
      lines.push(text)
    })
  )
  return lines.join("")
})
