import { Effect, Stream } from "effect"
import type { Position } from "../../../../domain/events/recorded-event.ts"
import { type EventStore, EventStoreError } from "../../../../ports/event-store.ts"
import type { DurableHead } from "./durable-head.ts"
import type { LogReader } from "./log-reader.ts"
import { storeError } from "./store-error.ts"
import type { Writer } from "./writer.ts"

/** Events of one page of a subscription: about a millisecond of reading, then other work gets its turn. */
const PAGE = 256

/** How often the log is looked at for what another process has committed. Looking costs a few microseconds. */
const LOOK_EVERY = "200 millis"

/**
 * The port over a reading connection, a head and a way to append. `currentHead` says up to where reads may show
 * events: what this process has acknowledged, or what the file holds where another process writes.
 */
export const makeStore = (options: {
  readonly reader: LogReader
  readonly head: DurableHead
  readonly currentHead: () => number
  readonly append: Writer["append"]
  /** False when there certainly is no such stream, which spares looking for it. */
  readonly mayExist?: (stream: string) => boolean
}): EventStore["Service"] => {
  const { append, currentHead, head, mayExist = () => true, reader } = options
  const attempt = <A>(operation: string, read: () => A): Effect.Effect<A, EventStoreError> =>
    Effect.try({ try: read, catch: (cause) => storeError(operation, cause) })

  const nextPage = Effect.fnUntraced(function* (after: number) {
    while (true) {
      const page = yield* attempt("subscribe", () => reader.all(after, PAGE, currentHead()))
      const last = page.at(-1)
      if (last !== undefined) {
        if (page.length === PAGE) yield* Effect.yieldNow
        return [page, Number(last.position.commit)] as const
      }
      if (head.get() > after) {
        // Waiting would return at once and find nothing again.
        const cause = new Error(`the event log ends before its head ${head.get()}`)
        return yield* new EventStoreError({ operation: "subscribe", reason: "corrupt", cause })
      }
      yield* head.beyond(after)
    }
  })

  return {
    append,
    readStream: (stream, { from = 0, limit = -1 } = {}) =>
      attempt("readStream", () => mayExist(stream) ? reader.stream(stream, from, limit, currentHead()) : []),
    readAll: ({ after, limit }) => attempt("readAll", () => reader.all(Number(after.commit), limit, currentHead())),
    head: attempt("head", () => positionOf(currentHead())),
    subscribe: ({ after }) => Stream.unfold(Number(after.commit), nextPage)
  }
}

/** Moves the head to what the file holds, if anybody has committed since the last look. Throws like the reader. */
export const makeLook = (reader: LogReader, head: DurableHead): () => void => {
  let seen = -1
  return () => {
    const version = reader.dataVersion()
    if (version === seen) return
    // SQLite shows a commit only once it is flushed (WAL, synchronous=FULL): what is seen here is durable.
    head.advance(reader.lastPosition())
    seen = version
  }
}

/** Looks again and again, for ever. A look that fails is no news: the next read meets the same trouble and says so. */
export const keepLooking = (look: () => void): Effect.Effect<never> =>
  Effect.forever(Effect.andThen(Effect.sleep(LOOK_EVERY), Effect.ignore(Effect.try(look))))

const positionOf = (position: number): Position => ({ commit: BigInt(position), prepare: BigInt(position) })
