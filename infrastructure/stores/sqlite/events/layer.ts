import { Effect, Layer, type Scope } from "effect"
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { EventStore, type EventStoreError } from "../../../../ports/event-store.ts"
import { type DurableHead, makeDurableHead } from "./durable-head.ts"
import { makeMayExist } from "./stream-bloom-filter.ts"
import { openForReading } from "./log-file.ts"
import { type LogReader, makeLogReader } from "./log-reader.ts"
import { makeRecentEvents, readingRecent } from "./tail-cache.ts"
import { storeError, unavailable } from "./store-error.ts"
import { keepLooking, makeLook, makeStore } from "./store.ts"
import { openWriter } from "./writer.ts"

export interface EmbeddedEventStoreOptions {
  /** Path of the SQLite file, usually `events.db` in the data folder. */
  readonly file: string
}

/**
 * The event store in a file of this machine, for the one process that writes it; whoever opens the data folder sees
 * to that. Makes the folder (mode 0700) and the file when they are missing. Fails when the file can't be opened, is
 * no event log, or is one of a newer format.
 */
export const layerEventStoreEmbedded = (
  { file }: EmbeddedEventStoreOptions
): Layer.Layer<EventStore, EventStoreError> =>
  Layer.effect(
    EventStore,
    Effect.gen(function* () {
      yield* Effect.try({
        try: () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
        catch: (cause) => storeError("open", cause)
      })
      const head = makeDurableHead()
      const recent = makeRecentEvents()
      const writer = yield* openWriter(file, head, recent)
      const reader = readingRecent(yield* openReader(file), recent)
      yield* watch(reader, head)
      const mayExist = yield* Effect.try({
        try: () => makeMayExist(reader, head.get),
        catch: (cause) => storeError("open", cause)
      })
      return makeStore({ reader, head, currentHead: head.get, append: writer.append, mayExist })
    })
  )

/**
 * The same log for reading, also while another process writes it: what that process has committed is seen at once.
 * Appending fails. Fails when there is no log yet.
 */
export const layerEventStoreEmbeddedReadOnly = (
  { file }: EmbeddedEventStoreOptions
): Layer.Layer<EventStore, EventStoreError> =>
  Layer.effect(
    EventStore,
    Effect.gen(function* () {
      if (!existsSync(file)) {
        return yield* unavailable(
          "open",
          `there is no event log at ${file}: start the service once, or set DATA_DIR to the folder it uses`
        )
      }
      const head = makeDurableHead()
      const reader = yield* openReader(file)
      const look = yield* watch(reader, head)
      const currentHead = (): number => {
        look()
        return head.get()
      }
      const refusal = unavailable("append", `${file} is open for reading only; the running service appends to it`)
      return makeStore({ reader, head, currentHead, append: () => Effect.fail(refusal) })
    })
  )

const openReader = (file: string): Effect.Effect<LogReader, EventStoreError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => makeLogReader(openForReading(file)), catch: (cause) => storeError("open", cause) }),
    (reader) => Effect.sync(() => reader.close())
  )

const watch = Effect.fnUntraced(function* (reader: LogReader, head: DurableHead) {
  const look = makeLook(reader, head)
  yield* Effect.forkScoped(keepLooking(look))
  return look
})
