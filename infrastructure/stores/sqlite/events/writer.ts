import { Effect, type Scope } from "effect"
import type { NewEvent } from "../../../../domain/events/recorded-event.ts"
import {
  type Appended,
  EventStoreError,
  type ExpectedRevision,
  WrongExpectedRevision
} from "../../../../ports/event-store.ts"
import type { DurableHead } from "./durable-head.ts"
import type { AppendMessage, AppendOutcome, FlatEvents, FromWriter } from "./messages.ts"
import { makeRecentEvents, type RecentEvents } from "./tail-cache.ts"
import { storeError, unavailable } from "./store-error.ts"
import { type SpawnWorker, spawnWriterWorker, startWriterThread, type WriterThread } from "./writer-thread.ts"

type Append = Effect.Effect<Appended, WrongExpectedRevision | EventStoreError>

export interface Writer {
  readonly append: (stream: string, expected: ExpectedRevision, events: ReadonlyArray<NewEvent>) => Append
}

interface Pending {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: FlatEvents
  readonly resume: (outcome: Append) => void
}

/**
 * Appends through the writing thread, moves the durable head with every commit and keeps what is `recent`. Closing the scope commits what
 * is queued. When the thread dies, what waits for it fails and a new one is started, once; when that fails too, the
 * next append fails and tries again, so that a disk that comes back needs no restart of the service.
 */
export const openWriter = (
  file: string,
  head: DurableHead,
  recent: RecentEvents = makeRecentEvents(),
  spawn: SpawnWorker = spawnWriterWorker
): Effect.Effect<Writer, EventStoreError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const writer = makeWriter(file, head, recent, spawn)
          await writer.start()
          return writer
        },
        catch: (cause) => storeError("open", cause)
      }),
      (writer) => Effect.promise(() => writer.close())
    ),
    ({ append }): Writer => ({ append })
  )

const makeWriter = (file: string, head: DurableHead, recent: RecentEvents, spawn: SpawnWorker) => {
  const pending = new Map<number, Pending>()
  let outbox: Array<AppendMessage> = []
  /** Appends that the thread has and has not answered yet. */
  let posted = 0
  let lastKey = 0
  let thread: WriterThread | undefined
  let starting: Promise<void> | undefined
  let isClosed = false

  const settle = (key: number, outcome: (append: Pending) => Append): void => {
    const append = pending.get(key)
    // An unknown key is a message that a runtime delivered twice.
    if (append === undefined) return
    pending.delete(key)
    posted--
    append.resume(outcome(append))
  }
  const remember = ([key, kind, revision, position]: AppendOutcome, recordedAt: number): void => {
    const append = pending.get(key)
    if (append !== undefined && kind === "appended") recent.add({ ...append, revision, position, recordedAt })
  }
  const onMessage = (message: FromWriter): void => {
    if (message._tag === "Committed") {
      for (const outcome of message.outcomes) remember(outcome, message.at)
      // First the head: who is told of an append can read it at once.
      head.advance(message.head)
      for (const outcome of message.outcomes) settle(outcome[0], (append) => resultOf(append, outcome))
    } else if (message._tag === "Failed") {
      for (const key of message.keys) settle(key, () => Effect.fail(storeError("append", new Error(message.message))))
    }
    flush()
  }
  const onEnd = (why: string): void => {
    thread = undefined
    outbox = []
    for (const key of pending.keys()) settle(key, () => Effect.fail(unavailable("append", why)))
    posted = 0
    restart()
  }
  const start = (): Promise<void> => {
    starting ??= startWriterThread(file, { onMessage, onEnd }, spawn).then((started) => {
      thread = started
      head.advance(started.head)
    }).finally(() => {
      starting = undefined
    })
    return starting
  }
  const restart = (): void => {
    // The failure shows in the next append, which tries again.
    if (!isClosed) start().catch(() => undefined)
  }
  /** While the thread is busy, appends come together here: one large message costs far less than many small ones. */
  const flush = (): void => {
    if (posted === 0) post()
  }
  const post = (): void => {
    if (thread === undefined || outbox.length === 0) return
    thread.post({ _tag: "Append", appends: outbox })
    posted += outbox.length
    outbox = []
  }

  const append = (stream: string, expected: ExpectedRevision, events: ReadonlyArray<NewEvent>): Append =>
    Effect.callback((resume) => {
      const fault = faultOf(expected, events)
      if (fault !== undefined) return resume(Effect.die(new Error(fault)))
      if (thread === undefined) {
        resume(Effect.fail(unavailable("append", "the writing thread of the event log is not running")))
        return restart()
      }
      const key = ++lastKey
      const flat = events.flatMap(({ id, type, data, metadata }) => [
        id,
        type,
        JSON.stringify(data),
        JSON.stringify(metadata)
      ])
      pending.set(key, { stream, expected, events: flat, resume })
      outbox.push([key, stream, expected === "no-stream" ? -1 : expected, flat])
      // One message for all appends of this turn of the event loop.
      if (outbox.length === 1) setImmediate(flush)
    })

  const close = async (): Promise<void> => {
    isClosed = true
    await starting?.catch(() => undefined)
    post()
    await thread?.close()
  }

  return { append, start, close }
}

const resultOf = ({ stream, expected }: Pending, [, kind, revision, at]: AppendOutcome): Append => {
  if (kind === "id-reused") return Effect.fail(new EventStoreError({ operation: "append", reason: "event-id-reused" }))
  if (kind === "wrong-revision") {
    return Effect.fail(new WrongExpectedRevision({ stream, expected, actual: revision < 0 ? "no-stream" : revision }))
  }
  const position = BigInt(at)
  return Effect.succeed({ revision, position: { commit: position, prepare: position } })
}

/** What would break the batch that the append comes to sit in; all of it is a fault in the calling code. */
const faultOf = (expected: ExpectedRevision, events: ReadonlyArray<NewEvent>): string | undefined => {
  if (events.length === 0) return "an append needs at least one event"
  if (expected !== "no-stream" && !(Number.isSafeInteger(expected) && expected >= 0)) {
    return `${expected} is no revision of a stream`
  }
  const wrong = events.find(({ id }) => !UUID.test(id))
  return wrong === undefined ? undefined : `${wrong.id} is no UUID`
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu
