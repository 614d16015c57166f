import { Effect, type Scope } from "effect"
import type { NewEvent } from "../../../../../domain/events/recorded-event.ts"
import type { AppendMessage, AppendOutcome, Committed } from "./append-batch.ts"
import { storeError, unavailable } from "./store-error.ts"
import { startThread, type Thread } from "../../../../platform/threads/start-thread.ts"
import {
  type Appended,
  type EventStoreError,
  type ExpectedRevision,
  WrongExpectedRevision
} from "../../../../../ports/event-store.ts"
import type { SoleWriter } from "../../../../../ports/sole-writer.ts"
import { makeCondition } from "../../../../../projections/engine/condition.ts"

type Append = Effect.Effect<Appended, WrongExpectedRevision | EventStoreError>

export interface Writer extends Pick<SoleWriter, "settled"> {
  readonly append: (stream: string, expected: ExpectedRevision, events: ReadonlyArray<NewEvent>) => Append
  /** Fails while batches fail. Before the first batch and after a failed one, each call tests whether the log can be written. */
  readonly writable: Effect.Effect<void, EventStoreError>
}

export type LogWriterThread = Thread<number, ReadonlyArray<AppendMessage>, Committed>

export type StartLogWriter = (file: string) => LogWriterThread

export const startLogWriter: StartLogWriter = (file) =>
  startThread({
    script: new URL("./log-writer-thread.ts", import.meta.url),
    name: "event-log-writer",
    data: file,
    // The thread holds objects only briefly: a young generation of the usual size would only use memory.
    limits: { maxYoungGenerationSizeMb: 4 }
  })

/** Most appends of one transaction: bounds how long the first of them waits for the others. */
const MAX_BATCH = 256

/**
 * So many appends do not wait for the end of their turn of the event loop: the thread commits them while the turn goes
 * on. With all of a turn's appends in one batch, the main thread would wait for each flush.
 */
const EARLY_BATCH = 16

/** Batches in the thread. A second one waits there, so that the thread does not wait for the main thread. */
const MAX_BATCHES = 2

const NOT_RUNNING = "the writer thread of the event log is not running"

interface Pending {
  readonly message: AppendMessage
  readonly resume: (outcome: Append) => void
}

/** Called for each append after its commit, before the head shows its last event, which is at `position`. */
export type OnAppended = (append: AppendMessage, position: number) => void

/**
 * Appends through the writer thread, and moves the durable head with every commit. While batches commit, further appends
 * collect for the next one. No timer waits for a batch to fill.
 *
 * Closing the scope commits the queued appends. When the thread dies, the pending appends fail and a new thread starts
 * once. When that fails too, the next append fails and starts a thread again: no restart is needed after a disk recovers.
 */
export const openWriter = (
  file: string,
  head: DurableHead,
  onAppended: OnAppended = () => {},
  start: StartLogWriter = startLogWriter
): Effect.Effect<Writer, EventStoreError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const writer = makeWriter(file, head, onAppended, start)
          await writer.open()
          return writer
        },
        catch: (cause) => storeError("open", cause)
      }),
      (writer) => Effect.promise(() => writer.close())
    ),
    ({ append, settled, writable }): Writer => ({ append, settled, writable })
  )

const makeWriter = (file: string, head: DurableHead, onAppended: OnAppended, start: StartLogWriter) => {
  let queue: Array<Pending> = []
  let batches = 0
  let thread: LogWriterThread | undefined
  let opening: Promise<void> | undefined
  let isClosed = false
  /** The numbers of appends that began and that have ended. They end in the order in which they began. */
  let begun = 0
  let ended = 0
  const someEnded = makeCondition()
  /** The last batch failed with this error. A new writer has not written yet: the folder may be read-only. */
  let failure: EventStoreError | "untested" | undefined = "untested"

  const countEnded = (appends: ReadonlyArray<Pending>): void => {
    ended += appends.length
    someEnded.notifyAll()
  }

  const committed = (batch: ReadonlyArray<Pending>, { head: position, outcomes }: Committed): void => {
    if (outcomes.some(([kind]) => kind === "appended")) failure = undefined
    outcomes.forEach(([kind, , at], index) => {
      const append = batch[index]
      if (append !== undefined && kind === "appended") onAppended(append.message, at)
    })
    // The head moves first: a caller whose append is answered can read it at once.
    head.advance(position)
    outcomes.forEach((outcome, index) => {
      const append = batch[index]
      append?.resume(resultOf(append.message, outcome))
    })
  }

  const send = (to: LogWriterThread): void => {
    const batch = queue.slice(0, MAX_BATCH)
    queue = queue.slice(MAX_BATCH)
    batches++
    to.ask(batch.map(({ message }) => message), (outcome) => {
      batches--
      if (outcome instanceof Error) {
        const error = failure = storeError("append", outcome)
        for (const { resume } of batch) resume(Effect.fail(error))
      } else committed(batch, outcome)
      countEnded(batch)
      flush()
    })
  }
  const flush = (): void => {
    if (thread !== undefined && batches < MAX_BATCHES && queue.length > 0) send(thread)
  }

  const onEnd = (why: string): void => {
    thread = undefined
    const unsent = queue
    queue = []
    const error = failure = unavailable("append", why)
    for (const { resume } of unsent) resume(Effect.fail(error))
    countEnded(unsent)
    reopen()
  }
  const open = (): Promise<void> => {
    const begin = async (): Promise<void> => {
      const started = start(file)
      head.advance(await started.ready)
      thread = started
      void started.ended.then(({ message }) => onEnd(message))
    }
    opening ??= begin().finally(() => {
      opening = undefined
    })
    return opening
  }
  /** If this fails, the next append fails and tries again. */
  const reopen = (): void => {
    if (!isClosed) open().catch(() => undefined)
  }

  const append = (stream: string, expected: ExpectedRevision, events: ReadonlyArray<NewEvent>): Append =>
    Effect.callback((resume) => {
      const fault = faultOf(expected, events)
      if (fault !== undefined) return resume(Effect.die(new Error(fault)))
      if (thread === undefined || thread.failure() !== undefined) {
        resume(Effect.fail(unavailable("append", NOT_RUNNING)))
        // A thread that failed may hold the file until it has ended.
        return thread === undefined ? reopen() : undefined
      }
      const flat = events.flatMap(({ id, type, data, metadata }) => [
        id,
        type,
        JSON.stringify(data),
        JSON.stringify(metadata)
      ])
      begun++
      queue.push({ message: [stream, expected === "no-stream" ? -1 : expected, flat], resume })
      // Hot path: the appends of one turn are one message and one commit. Guarded by `npm run bench -- http`.
      if (queue.length >= EARLY_BATCH) flush()
      else if (queue.length === 1) setImmediate(flush)
    })

  const settled: Writer["settled"] = Effect.suspend(() => {
    const [before, running] = [begun, thread]
    // What a thread that has ended wrote is known when the next one has opened the file.
    const check = Effect.suspend(() =>
      running === undefined || running !== thread || running.failure() !== undefined
        ? Effect.fail(unavailable("append", "the writer thread of the event log was not running all the time"))
        : Effect.void
    )
    return Effect.andThen(someEnded.await(() => ended >= before), check)
  })

  const writable: Writer["writable"] = Effect.callback((resume) => {
    if (failure === undefined) return resume(Effect.void)
    if (thread === undefined || thread.failure() !== undefined) {
      resume(Effect.fail(failure === "untested" ? unavailable("append", NOT_RUNNING) : failure))
      return thread === undefined ? reopen() : undefined
    }
    thread.ask([], (outcome) => {
      const error = failure = outcome instanceof Error ? storeError("append", outcome) : undefined
      resume(error === undefined ? Effect.void : Effect.fail(error))
    })
  })

  const close = async (): Promise<void> => {
    isClosed = true
    await opening?.catch(() => undefined)
    while (thread !== undefined && queue.length > 0) send(thread)
    await thread?.close()
  }

  return { append, settled, writable, open, close }
}

const resultOf = ([stream, expected]: AppendMessage, [kind, revision, at]: AppendOutcome): Append => {
  if (kind === "wrong-revision") {
    return Effect.fail(
      new WrongExpectedRevision({ stream, expected: revisionOf(expected), actual: revisionOf(revision) })
    )
  }
  const position = BigInt(at)
  return Effect.succeed({ revision, position: { commit: position, prepare: position } })
}

const revisionOf = (revision: number): ExpectedRevision => revision < 0 ? "no-stream" : revision

/** Faults of the calling code that would fail the other appends of the batch. */
const faultOf = (expected: ExpectedRevision, events: ReadonlyArray<NewEvent>): string | undefined => {
  if (events.length === 0) return "an append needs at least one event"
  if (expected !== "no-stream" && !(Number.isSafeInteger(expected) && expected >= 0)) {
    return `${expected} is no revision of a stream`
  }
  const wrong = events.find(({ id }) => !UUID.test(id))
  if (wrong !== undefined) return `${wrong.id} is no UUID`
  return new Set(events.map(({ id }) => id)).size < events.length
    ? "two events of an append have the same id"
    : undefined
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu

/** The position up to which every event is durable. It never decreases. */
export interface DurableHead {
  readonly get: () => number
  readonly advance: (position: number) => void
  /** Waits until the head is after a position; returns at once when it is. */
  readonly awaitBeyond: (position: number) => Effect.Effect<void>
}

export const makeDurableHead = (): DurableHead => {
  const changed = makeCondition()
  let head = 0
  return {
    get: () => head,
    advance: (position) => {
      if (position <= head) return
      head = position
      changed.notifyAll()
    },
    awaitBeyond: (position) => changed.await(() => head > position)
  }
}
