import { type Cause, Clock, Duration, Effect, Layer, Redacted, Result } from "effect"
import {
  beginning,
  isBefore,
  type NewEvent,
  type Position,
  type RecordedEvent
} from "../../../../domain/events/recorded-event.ts"
import {
  EventStore,
  EventStoreError,
  type ExpectedRevision,
  WrongExpectedRevision
} from "../../../../ports/event-store.ts"
import { makeAppender, sizeOf, toAppend } from "./append.ts"
import { describeConnection, parseConnectionString } from "./connection-string.ts"
import { Connection } from "./connection.ts"
import { readAllRequest, readAnswers, readEvents, readLastEvent, readStreamRequest } from "./read.ts"
import { isOwnEvent } from "./read-answer.ts"
import { checkServer } from "./server-check.ts"
import { isDenied, makeToStoreError, UnreadableEvent } from "./store-error.ts"
import { subscription } from "./subscription.ts"
import { makePassOver } from "./system-events.ts"

export interface EventStoreDbOptions {
  /** `esdb://…` or `kurrentdb://…`. */
  readonly connectionString: Redacted.Redacted
  /** How long an append may take until its outcome counts as unknown; 3 seconds. */
  readonly appendTimeout?: Duration.Input
  /** How often an append without an answer is sent again, with the same ids; half of `appendTimeout`. */
  readonly appendAgainEvery?: Duration.Input
  /** How long reading a stream, a page or the head may take; 3 seconds. */
  readonly readTimeout?: Duration.Input
  /** How long the server may take to answer at the start; 5 seconds. */
  readonly startTimeout?: Duration.Input
  /** Whether the start tests the right to append; true by default. */
  readonly appends?: boolean
  /** Prefixes of the names of all streams of this log; default `streamPrefixes`. */
  readonly streams?: ReadonlyArray<string>
}

/**
 * How the names of this service's streams begin (docs/spec/events.md, "Streams"). An EventStoreDB holds other streams
 * too: its own, which begin with `$`, and those of other programs. They are not part of this log.
 */
export const streamPrefixes: ReadonlyArray<string> = [
  "account-",
  "service-",
  "branch-",
  "bankAccount-",
  "slip-",
  "verification-",
  "note-",
  "job-",
  "callback-",
  "request-",
  "forgotten-",
  "reveal-",
  "keyUse-",
  "export-",
  "console-",
  "operators",
  "session-",
  "shopSession-",
  "signInLink-",
  "refusal-",
  "act-",
  "oidcName-",
  "sealing",
  "chain-"
]

/**
 * The event store in EventStoreDB or KurrentDB, for any number of processes. Fails when the connection string can't be
 * read, the server can't be reached, refuses the user or is older than 22.6; no error shows a password.
 */
export const layerEventStoreDb = (options: EventStoreDbOptions): Layer.Layer<EventStore, EventStoreError> =>
  Layer.effect(
    EventStore,
    Effect.gen(function* () {
      const text = Redacted.value(options.connectionString)
      const parsed = parseConnectionString(text)
      if (Result.isFailure(parsed)) {
        const cause = new Error(`EVENTSTORE_URL or KURRENTDB_URL can't be read: ${parsed.failure}`)
        return yield* new EventStoreError({ operation: "open", reason: "unavailable", cause })
      }
      const settings = parsed.success
      const appendMillis = Duration.toMillis(options.appendTimeout ?? "3 seconds")
      const againMillis = Duration.toMillis(options.appendAgainEvery ?? appendMillis / 2)
      const prefixes = options.streams ?? streamPrefixes
      const toStoreError = makeToStoreError(settings, text)
      const connection = yield* Effect.acquireRelease(
        Effect.try({ try: () => new Connection(settings), catch: (cause) => toStoreError("open", cause) }),
        (connection) => Effect.sync(() => connection.close())
      )
      const appender = yield* Effect.acquireRelease(
        Effect.sync(() => makeAppender(connection, againMillis)),
        ({ close }) => Effect.sync(close)
      )
      yield* checkServer(connection, {
        address: describeConnection(settings),
        prefixes,
        appender: options.appends === false ? undefined : appender,
        timeoutMillis: Duration.toMillis(options.startTimeout ?? "5 seconds"),
        toStoreError
      })
      const passOver = makePassOver()
      const sayDenied = makeSayDenied()
      const readMillis = Duration.toMillis(options.readTimeout ?? "3 seconds")

      const within = <A>(operation: string, millis: number, effect: Effect.Effect<A, Cause.UnknownError>) =>
        effect.pipe(
          Effect.mapError(({ cause }) => toStoreError(operation, cause)),
          Effect.timeoutOrElse({
            duration: millis,
            orElse: () => {
              const cause = new Error(`the event store did not answer within ${millis / 1000} s`)
              return Effect.fail(new EventStoreError({ operation, reason: "timeout", cause }))
            }
          })
        )

      const append = Effect.fnUntraced(function* (
        stream: string,
        expected: ExpectedRevision,
        events: ReadonlyArray<NewEvent>
      ) {
        const fault = faultOf(prefixes, stream, expected, events)
        if (fault !== undefined) return yield* Effect.die(new Error(fault))
        const request = toAppend(stream, expected, events)
        const size = sizeOf(request)
        if (size > MAX_APPEND) return yield* Effect.die(tooLarge(stream, size, MAX_APPEND))
        const outcome = yield* within("append", appendMillis, appender.send(request))
        switch (outcome._tag) {
          case "Appended": {
            const { revision } = outcome.appended
            const last = (expected === "no-stream" ? -1 : expected) + events.length
            return revision === last
              ? outcome.appended
              : yield* toStoreError("append", streamRecreated(stream, revision))
          }
          case "WrongRevision":
            return yield* new WrongExpectedRevision({ stream, expected, actual: outcome.actual })
          case "TooLarge":
            return yield* Effect.die(tooLarge(stream, size, outcome.limit))
          case "TimedOut":
          case "Failed": {
            const error = toStoreError("append", outcome.error)
            if (isDenied(outcome.error)) yield* sayDenied(error)
            return yield* error
          }
        }
      })

      const readAll = Effect.fnUntraced(function* (after: Position, limit: number) {
        const events: Array<RecordedEvent> = []
        for (let from = after;;) {
          const left = limit - events.length
          // One more, because the answer includes the event at `from`.
          const found = yield* readAnswers(connection, readAllRequest(prefixes, from, left + 1))
          const next = found.filter(({ position }) => isBefore(from, position)).slice(0, left)
          yield* passOver(next)
          events.push(...next.filter(isOwnEvent))
          // The events of the server took places of the page.
          if (found.length <= left || events.length === limit) return events
          from = next.at(-1)?.position ?? from
        }
      })

      return EventStore.of({
        append,
        writable: Effect.void,
        readStream: (stream, { from = 0, limit = Number.MAX_SAFE_INTEGER } = {}) =>
          within("readStream", readMillis, readEvents(connection, readStreamRequest(stream, from, limit))).pipe(
            Effect.filterOrElse(
              ({ events: [first], isThere }) => first === undefined ? from > 0 || !isThere : first.revision === from,
              ({ events: [first] }) => Effect.fail(toStoreError("readStream", eventsRemoved(stream, first?.revision)))
            ),
            Effect.map(({ events }) => events)
          ),
        readAll: ({ after, limit }) => within("readAll", readMillis, readAll(after, limit)),
        head: Effect.map(
          within("head", readMillis, readLastEvent(connection, prefixes)),
          (last) => last?.position ?? beginning
        ),
        subscribe: ({ after }) => subscription(connection, prefixes, after, passOver, toStoreError)
      })
    })
  )

/** A decision on the rest of a stream would be wrong: a slip would count as new, or a key as active. */
const eventsRemoved = (stream: string, first: number | undefined): UnreadableEvent =>
  new UnreadableEvent(
    `the event store has removed ${first === undefined ? "all events" : "the events"} of ${stream}`
      + `${first === undefined ? "" : ` before revision ${first}`}. Restore the log from a backup, and `
      + "remove $maxCount, $maxAge and $tb from the metadata of its streams"
  )

/** A deleted stream continues at its old revision: the append counts as the first of a stream that has had others. */
const streamRecreated = (stream: string, revision: number): UnreadableEvent =>
  new UnreadableEvent(
    `the events of ${stream} before revision ${revision} were deleted in the event store, and the append was added after them. `
      + "Restore the log from a backup"
  )

const DENIED_LOG_MILLIS = 60_000

/** Says at most once a minute that the server refuses appends: the answers to the callers do not say why. */
const makeSayDenied = () => {
  let saidAt = -Infinity
  return (error: EventStoreError) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - saidAt < DENIED_LOG_MILLIS) return Effect.void
      saidAt = now
      return Effect.logError("The event store refuses to append, so nothing can be stored and requests fail", error)
    })
}

/** The server's default limit, in bytes. */
const MAX_APPEND = 1024 * 1024

const tooLarge = (stream: string, size: number, limit: number | undefined): Error =>
  new Error(`an append of ${size} bytes to ${stream} is larger than the event store takes: ${limit ?? "?"} bytes`)

/** A fault of the calling code: the server would refuse the append, or store events that this service never reads. */
const faultOf = (
  prefixes: ReadonlyArray<string>,
  stream: string,
  expected: ExpectedRevision,
  events: ReadonlyArray<NewEvent>
): string | undefined => {
  if (events.length === 0) return "an append needs at least one event"
  if (!prefixes.some((prefix) => stream.startsWith(prefix))) return `${stream} is no stream of this log`
  if (expected !== "no-stream" && !(Number.isSafeInteger(expected) && expected >= 0)) {
    return `${expected} is no revision of a stream`
  }
  const wrong = events.find(({ id }) => !UUID.test(id))
  return wrong === undefined ? undefined : `${wrong.id} is no UUID`
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu
