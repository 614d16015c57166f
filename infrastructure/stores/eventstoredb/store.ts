import { type Cause, Effect } from "effect"
import { beginning, isBefore, type NewEvent } from "../../../domain/events/recorded-event.ts"
import {
  type EventStore,
  EventStoreError,
  type ExpectedRevision,
  WrongExpectedRevision
} from "../../../ports/event-store.ts"
import { sizeOf, toAppend } from "./append-requests.ts"
import type { Appender } from "./appender.ts"
import type { Connection } from "./connection.ts"
import { readAllRequest, readLastRequest, readStreamRequest } from "./read-requests.ts"
import { readEvents } from "./reading.ts"
import type { ToStoreError } from "./store-error.ts"
import { subscription } from "./subscription.ts"

export interface StoreOptions {
  readonly connection: Connection
  readonly appender: Appender
  readonly prefixes: ReadonlyArray<string>
  readonly appendMillis: number
  readonly readMillis: number
  readonly toStoreError: ToStoreError
}

/** The port over a connection. */
export const makeStore = (options: StoreOptions): EventStore["Service"] => {
  const { appender, appendMillis, connection, prefixes, readMillis, toStoreError } = options

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
      case "Appended":
        return outcome.appended
      case "WrongRevision":
        return yield* new WrongExpectedRevision({ stream, expected, actual: outcome.actual })
      case "TooLarge":
        return yield* Effect.die(tooLarge(stream, size, outcome.limit))
      case "Failed":
        return yield* toStoreError("append", outcome.error)
    }
  })

  return {
    append,
    readStream: (stream, { from = 0, limit = Number.MAX_SAFE_INTEGER } = {}) =>
      within("readStream", readMillis, readEvents(connection, readStreamRequest(stream, from, limit))),
    readAll: ({ after, limit }) =>
      // One more, because the event at `after` comes too.
      within("readAll", readMillis, readEvents(connection, readAllRequest(prefixes, after, limit + 1))).pipe(
        Effect.map((events) => events.filter(({ position }) => isBefore(after, position)).slice(0, limit))
      ),
    head: within("head", readMillis, readEvents(connection, readLastRequest(prefixes))).pipe(
      Effect.map(([last]) => last?.position ?? beginning)
    ),
    subscribe: ({ after }) => subscription(connection, prefixes, after, toStoreError)
  }
}

/** The server's limit unless it was set otherwise there, in bytes. */
const MAX_APPEND = 1024 * 1024

const tooLarge = (stream: string, size: number, limit: number | undefined): Error =>
  new Error(`an append of ${size} bytes to ${stream} is larger than the event store takes: ${limit ?? "?"} bytes`)

/** Faults in the calling code: the server would refuse them, or write what nobody would ever read. */
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
