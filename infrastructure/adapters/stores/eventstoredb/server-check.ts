import { Cause, Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import { EventStoreError } from "../../../../ports/event-store.ts"
import { type Appender, toAppend } from "./append.ts"
import type { Connection } from "./connection.ts"
import { readLastEvent } from "./read.ts"
import { isDenied, type ToStoreError } from "./store-error.ts"

/** The first version that returns the position of an event that is read from its stream. */
const OLDEST = [22, 6] as const

interface CheckOptions {
  /** The address without credentials. */
  readonly address: string
  readonly prefixes: ReadonlyArray<string>
  /** Undefined when this process appends nothing. */
  readonly appender: Appender | undefined
  readonly timeoutMillis: number
  readonly toStoreError: ToStoreError
}

/** The rights of streams without rights of their own are those of `$userStreamAcl`. */
const TESTED_STREAM = "operators"

/** A revision that no stream reaches: an append at it is refused, by the right or by the revision. */
const UNREACHABLE = 2 ** 40

/** How long the answer to the tested append may take. A server that answers later is not refused for it. */
const TEST_MILLIS = 1_000

/** Whether the user may append, as far as the server answers in time. Fails when the server denies it. Writes nothing. */
const checkRight = Effect.fnUntraced(function* ({ send }: Appender, stream: string, toStoreError: ToStoreError) {
  const metadata = {
    at: "",
    correlationId: "",
    causationId: "",
    actor: { kind: "system", id: "start" },
    schema: 1
  } as const
  const append = toAppend(stream, UNREACHABLE, [{ id: randomUUID(), type: "Tested", data: {}, metadata }])
  const outcome = Option.getOrUndefined(yield* Effect.option(Effect.timeout(send(append), TEST_MILLIS)))
  if (outcome?._tag === "Failed" && isDenied(outcome.error)) return yield* toStoreError("open-append", outcome.error)
  return outcome?._tag === "WrongRevision"
})

/**
 * Fails with a message for operators when the server is unreachable or too old, or does not let the user read, or append when
 * there is an appender. Returns whether the server has answered that the user may append.
 */
export const checkServer = (
  connection: Connection,
  { address, appender, prefixes, timeoutMillis, toStoreError }: CheckOptions
): Effect.Effect<boolean, EventStoreError> =>
  Effect.gen(function* () {
    const { serverVersion } = yield* Effect.tryPromise(() => connection.features())
    if (!isSupported(serverVersion)) {
      const message = `its version is ${serverVersion}, and ${OLDEST.join(".")} is the oldest that is supported`
      return yield* new Cause.UnknownError(new Error(message))
    }
    yield* readLastEvent(connection, prefixes)
    return appender !== undefined && (yield* checkRight(appender, TESTED_STREAM, toStoreError))
  }).pipe(
    Effect.mapError((error) => error._tag === "EventStoreError" ? error : toStoreError("open", error.cause)),
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
