import { Effect } from "effect"
import { consoleSessions, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import { handleCommand, load, type Loaded } from "../events/handle-command.ts"
import { contextOf, type Operation } from "./operator-command.ts"
import type { ConsoleSessionsState } from "../../domain/console-sessions.ts"

const STREAM = streamOf.consoleSessions()

/** The time limit of reading which sessions have ended. Pages wait for it also while the event store is away. */
const READ_TIMEOUT = "1 second"

/**
 * Makes an effect that reads which sessions have ended, at each run the new events only. While the event store is unavailable it returns the
 * state that this process read last, and undefined when there is none. No session can be ended meanwhile.
 */
export const makeEndedSessions = Effect.sync(() => {
  let known: Loaded<ConsoleSessionsState> | undefined
  return Effect.suspend(() => load(consoleSessions, STREAM, known)).pipe(
    Effect.timeout(READ_TIMEOUT),
    Effect.match({
      onSuccess: (loaded) => {
        known = loaded
        return loaded.state
      },
      onFailure: () => known?.state
    })
  )
})

export type EndedSessions = Effect.Success<typeof makeEndedSessions>

/** Ends one session in every process. `expiresAt` in milliseconds since 1970. */
export const endConsoleSession = Effect.fn("endConsoleSession")(function* (
  { expiresAt, id }: { readonly id: string; readonly expiresAt: number },
  operation: Operation
) {
  const context = yield* contextOf(operation)
  const command = {
    _tag: "EndSession",
    sessionId: id,
    expiresAt: isoTime(expiresAt),
    at: isoTime(context.at)
  } as const
  yield* handleCommand(consoleSessions, STREAM, command, context)
})

/** Ends every session of an epoch and of earlier ones, in every process. */
export const endAllConsoleSessions = Effect.fn("endAllConsoleSessions")(function* (
  { epoch }: { readonly epoch: number },
  operation: Operation
) {
  const context = yield* contextOf(operation)
  yield* handleCommand(
    consoleSessions,
    STREAM,
    { _tag: "EndAllSessions", epoch: epoch + 1, at: isoTime(context.at) },
    context
  )
})
