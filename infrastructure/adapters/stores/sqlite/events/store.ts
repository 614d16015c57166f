import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import type { Position } from "../../../../../domain/events/recorded-event.ts"
import { type LogReader, makeLogReader } from "./log-reader.ts"
import { storeError, unavailable } from "./store-error.ts"
import { readStreamNames } from "./read-stream-names.ts"
import { type KnownStreams, makeKnownStreams } from "./stream-bloom-filter.ts"
import { type DurableHead, makeDurableHead, openWriter, type Writer } from "./writer.ts"
import { EventStore, EventStoreError } from "../../../../../ports/event-store.ts"
import { type AskNewStreams, NewStreams } from "../../../../../ports/new-streams.ts"
import { SoleWriter } from "../../../../../ports/sole-writer.ts"

export interface EmbeddedEventStoreOptions {
  /** Path of the SQLite file, usually `events.db` in the data folder. */
  readonly file: string
}

/**
 * The event store in a local file that only this process writes; the caller holds the lock of the data folder. Creates
 * the folder (mode 0700) and the file when they are missing. Fails when the file can't be opened, is no event log, or
 * has a newer format.
 */
export const layerEventStoreEmbedded = (
  { file }: EmbeddedEventStoreOptions
): Layer.Layer<EventStore, EventStoreError> =>
  Layer.effectContext(
    Effect.gen(function* () {
      yield* attempt("open", () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }))
      const head = makeDurableHead()
      // The writer creates the file whose names are read.
      let streams: KnownStreams | undefined = undefined
      const writer = yield* openWriter(file, head, ([stream, , events], position) =>
        streams?.appended(stream, events.length / 4, position))
      const reader = yield* openReader(file)
      yield* followFile(reader, head)
      streams = makeKnownStreams(reader, head.get)
      yield* readNames(file, streams)
      const store = makeStore({ reader, head, currentHead: head.get, ...writer, mayExist: streams.mayExist })
      return Context.make(EventStore, store).pipe(
        Context.add(SoleWriter, {
          settled: writer.settled,
          headAfter: ({ commit }) =>
            Effect.map(head.awaitBeyond(Number(commit)), () =>
              positionOf(head.get()))
        }),
        Context.add(NewStreams, newStreamsOf(streams))
      )
    })
  )

/**
 * The same log for reading, also while another process writes it. Events of that process appear as soon as they are
 * committed. Appending fails. Fails when there is no log yet.
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
      const poll = yield* followFile(reader, head)
      const currentHead = (): number => {
        poll()
        return head.get()
      }
      const refusal = unavailable("append", `${file} is open for reading only; the running service appends to it`)
      return makeStore({
        reader,
        head,
        currentHead,
        append: () => Effect.fail(refusal),
        writable: Effect.fail(refusal),
        mayExist: () => true
      })
    })
  )

/** A stream that the Bloom filter lacks has no event. One that it has may be new. */
const newStreamsOf = ({ mayExist }: KnownStreams): AskNewStreams => ({
  of: ({ stream }) => Effect.sync(() => mayExist(stream) ? "unknown" : "probably-new"),
  hasEvents: () => {}
})

const attempt = <A>(operation: string, run: () => A): Effect.Effect<A, EventStoreError> =>
  Effect.try({ try: run, catch: (cause) => storeError(operation, cause) })

const openReader = (file: string): Effect.Effect<LogReader, EventStoreError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt("open", () => makeLogReader(file)),
    (reader) => Effect.sync(() => reader.close())
  )

/**
 * Reads the names of all streams. A large log has millions, which take seconds: a thread reads them, and the log is used
 * meanwhile. Those of later events are read here in small steps, and when the thread fails, all of them.
 */
const readNames = Effect.fnUntraced(function* (file: string, { readNames, takeNames }: KnownStreams) {
  if (!(yield* attempt("open", () => readNames(NAMES_AT_OPENING)))) return
  const inThread = Effect.map(readStreamNames(file), takeNames).pipe(
    Effect.catch((error) =>
      Effect.logWarning("The names of streams are read beside requests: their thread failed", error)
    )
  )
  const step = Effect.andThen(Effect.sleep("1 millis"), attempt("readNames", () => readNames(NAMES_TOGETHER)))
  const steps = Effect.repeat(step, { while: (hasMore) => hasMore })
  // After an error every stream may exist: reading one tells.
  yield* Effect.forkScoped(Effect.ignore(Effect.andThen(inThread, steps)))
})

/** Some ten milliseconds … */
const NAMES_AT_OPENING = 10_000
/** … and less than one. */
const NAMES_TOGETHER = 250

/** How often the file is polled for commits of another process. A poll takes a few microseconds. */
const POLL_EVERY = "200 millis"

/**
 * Moves the head to the end of the file when another connection has committed: at every call of the returned function, and
 * every 200 ms. The returned function throws like the reader.
 */
const followFile = Effect.fnUntraced(function* (reader: LogReader, head: DurableHead) {
  let seen = -1
  const poll = (): void => {
    const version = reader.dataVersion()
    if (version === seen) return
    // SQLite shows a commit only once it is flushed (WAL, synchronous=FULL), so every visible event is durable.
    head.advance(reader.lastPosition())
    seen = version
  }
  // Polling errors are ignored; the next read reports them.
  yield* Effect.sleep(POLL_EVERY).pipe(
    Effect.andThen(Effect.ignore(Effect.try(poll))),
    Effect.forever,
    Effect.forkScoped
  )
  return poll
})

/** Events of one page of a subscription: about a millisecond of work before the event loop continues. */
const PAGE = 256

const makeStore = ({ append, currentHead, head, mayExist, reader, writable }: Omit<Writer, "settled"> & {
  readonly reader: LogReader
  readonly head: DurableHead
  /** Reads return events up to this position: what this process has acknowledged, or what another process has committed. */
  readonly currentHead: () => number
  /** False when the stream certainly does not exist. */
  readonly mayExist: (stream: string) => boolean
}): EventStore["Service"] => {
  const nextPage = Effect.fnUntraced(function* (after: number) {
    while (true) {
      const page = yield* attempt("subscribe", () => reader.all(after, PAGE, currentHead()))
      const last = page.at(-1)
      if (last !== undefined) {
        if (page.length === PAGE) yield* Effect.yieldNow
        return [page, Number(last.position.commit)] as const
      }
      if (head.get() > after) {
        // Waiting would return at once, and the next read would find nothing again.
        const cause = new Error(`the event log ends before its head ${head.get()}`)
        return yield* new EventStoreError({ operation: "subscribe", reason: "corrupt", cause })
      }
      yield* head.awaitBeyond(after)
    }
  })

  return {
    append,
    writable,
    readStream: (stream, { from = 0, limit = -1 } = {}) =>
      attempt("readStream", () => mayExist(stream) ? reader.stream(stream, from, limit, currentHead()) : []),
    readAll: ({ after, limit }) => attempt("readAll", () => reader.all(Number(after.commit), limit, currentHead())),
    head: attempt("head", () => positionOf(currentHead())),
    subscribe: ({ after }) => Stream.unfold(Number(after.commit), nextPage)
  }
}

const positionOf = (position: number): Position => ({ commit: BigInt(position), prepare: BigInt(position) })
