import { Duration, Effect, Layer, Redacted, Result, type Scope } from "effect"
import { EventStore, EventStoreError } from "../../../ports/event-store.ts"
import { makeBatchAppender, makeSingleAppender } from "./appender.ts"
import { type ConnectionSettings, describeConnection, parseConnectionString } from "./connection-string.ts"
import { Connection } from "./connection.ts"
import { checkServer } from "./server-check.ts"
import { makeToStoreError } from "./store-error.ts"
import { makeStore } from "./store.ts"
import { streamPrefixes } from "./stream-prefixes.ts"

export interface EventStoreDbOptions {
  /** `esdb://…` or `kurrentdb://…`. */
  readonly connectionString: Redacted.Redacted
  /** How long an append may take until its outcome counts as unknown; 3 seconds. */
  readonly appendTimeout?: Duration.Input
  /** How long reading a stream, a page or the head may take; 3 seconds. */
  readonly readTimeout?: Duration.Input
  /** How long the server may take to answer at the start; 5 seconds. */
  readonly startTimeout?: Duration.Input
  /** How the names of all streams begin that are in this log; the streams of this service. */
  readonly streams?: ReadonlyArray<string>
}

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
        const cause = new Error(`EVENTSTORE_URL can't be read: ${parsed.failure}`)
        return yield* new EventStoreError({ operation: "open", reason: "unavailable", cause })
      }
      const settings = parsed.success
      const appendMillis = Duration.toMillis(options.appendTimeout ?? "3 seconds")
      const prefixes = options.streams ?? streamPrefixes
      const toStoreError = makeToStoreError(settings, text)
      const connection = yield* connect(settings, (cause) => toStoreError("open", cause))
      yield* checkServer(connection, {
        place: describeConnection(settings),
        prefixes,
        timeoutMillis: Duration.toMillis(options.startTimeout ?? "5 seconds"),
        toStoreError
      })

      const isBatch = yield* Effect.tryPromise({
        try: () => connection.offersBatchAppend(),
        catch: (cause) => toStoreError("open", cause)
      })
      const appender = yield* Effect.acquireRelease(
        Effect.sync(() => isBatch ? makeBatchAppender(connection) : makeSingleAppender(connection, appendMillis)),
        ({ close }) => Effect.sync(close)
      )
      return makeStore({
        connection,
        appender,
        prefixes,
        appendMillis,
        readMillis: Duration.toMillis(options.readTimeout ?? "3 seconds"),
        toStoreError
      })
    })
  )

const connect = (
  settings: ConnectionSettings,
  toError: (cause: unknown) => EventStoreError
): Effect.Effect<Connection, EventStoreError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => new Connection(settings), catch: toError }),
    (connection) => Effect.sync(() => connection.close())
  )
