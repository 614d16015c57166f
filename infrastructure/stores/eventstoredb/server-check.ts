import { Cause, Effect } from "effect"
import { EventStoreError } from "../../../ports/event-store.ts"
import type { Connection } from "./connection.ts"
import { readEvents, readLastRequest } from "./read.ts"
import type { ToStoreError } from "./store-error.ts"

/** The first version that returns the position of an event that is read from its stream. */
const OLDEST = [22, 6] as const

interface CheckOptions {
  /** The address without credentials. */
  readonly address: string
  readonly prefixes: ReadonlyArray<string>
  readonly timeoutMillis: number
  readonly toStoreError: ToStoreError
}

/** Fails with a message for operators when the server is unreachable or too old, or does not let the user read. */
export const checkServer = (
  connection: Connection,
  { address, prefixes, timeoutMillis, toStoreError }: CheckOptions
): Effect.Effect<void, EventStoreError> =>
  Effect.gen(function* () {
    const { serverVersion } = yield* Effect.tryPromise(() => connection.features())
    if (!isSupported(serverVersion)) {
      const message = `its version is ${serverVersion}, and ${OLDEST.join(".")} is the oldest that is supported`
      return yield* new Cause.UnknownError(new Error(message))
    }
    yield* readEvents(connection, readLastRequest(prefixes))
  }).pipe(
    Effect.mapError(({ cause }) => toStoreError("open", cause)),
    Effect.timeoutOrElse({
      duration: timeoutMillis,
      orElse: () =>
        Effect.fail(
          new EventStoreError({
            operation: "open",
            reason: "timeout",
            cause: new Error(`it did not answer within ${timeoutMillis / 1000} s`)
          })
        )
    }),
    Effect.mapError(({ cause, reason }) =>
      new EventStoreError({
        operation: "open",
        reason,
        cause: new Error(`the event store at ${address} can't be used: ${cause instanceof Error ? cause.message : ""}`)
      })
    )
  )

const isSupported = (version: string): boolean => {
  const match = /^(\d+)\.(\d+)/u.exec(version)
  if (match === null) return false
  const [major, minor] = [Number(match[1]), Number(match[2])]
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}
