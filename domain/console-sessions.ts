import { Result, Schema } from "effect"
import { type Decider, eventsOf } from "./decider.ts"

/**
 * The console sessions that ended before they expired. Sessions themselves are signed and not stored, so the stream,
 * `console-sessions`, has only their ends. A session names the epoch in which it started. A new epoch ends all sessions
 * of earlier ones, independently of the clocks of processes.
 */

// These names are the storage format: add, never edit.
export const ConsoleSessionsEvent = Schema.TaggedUnion({
  ConsoleSessionEnded: {
    sessionId: Schema.String,
    /** When the session would have expired, ISO 8601, UTC. Afterwards its end need not be remembered. */
    expiresAt: Schema.String,
    /** ISO 8601, UTC. */
    at: Schema.String
  },
  ConsoleSessionsEnded: {
    /** The epoch that begins. */
    epoch: Schema.Int,
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type ConsoleSessionsEvent = typeof ConsoleSessionsEvent.Type

export interface ConsoleSessionsState {
  /** 0 at first. */
  readonly epoch: number
  /** Ended sessions of the epoch that have not expired, with the time when they would. */
  readonly ended: ReadonlyMap<string, string>
}

export type ConsoleSessionsCommand =
  | { readonly _tag: "EndSession"; readonly sessionId: string; readonly expiresAt: string; readonly at: string }
  /** Begins an epoch, which ends the sessions of all earlier ones. */
  | { readonly _tag: "EndAllSessions"; readonly epoch: number; readonly at: string }

/** Times of one format are in the order of their texts. */
const evolve = ({ ended, epoch }: ConsoleSessionsState, event: ConsoleSessionsEvent): ConsoleSessionsState => {
  if (event._tag === "ConsoleSessionsEnded") return { epoch: event.epoch, ended: new Map() }
  const remembered = [...ended].filter(([, expiresAt]) => expiresAt > event.at)
  return { epoch, ended: new Map([...remembered, [event.sessionId, event.expiresAt]]) }
}

const make = eventsOf(ConsoleSessionsEvent)

const decide = (
  command: ConsoleSessionsCommand,
  { ended, epoch }: ConsoleSessionsState
): Result.Result<ReadonlyArray<ConsoleSessionsEvent>> => {
  const { at } = command
  if (command._tag === "EndAllSessions") {
    return Result.succeed(command.epoch > epoch ? [make.ConsoleSessionsEnded({ epoch: command.epoch, at })] : [])
  }
  const { expiresAt, sessionId } = command
  return Result.succeed(ended.has(sessionId) ? [] : [make.ConsoleSessionEnded({ sessionId, expiresAt, at })])
}

export const consoleSession: Decider<ConsoleSessionsCommand, ConsoleSessionsState, ConsoleSessionsEvent> = {
  initialState: { epoch: 0, ended: new Map() },
  evolve,
  decide,
  isTerminal: () => false
}

/** Whether a session may still be used. An epoch above the known one was read by another process after this one. */
export const isOpen = (
  { ended, epoch }: ConsoleSessionsState,
  session: { readonly id: string; readonly epoch: number }
): boolean => session.epoch >= epoch && !ended.has(session.id)
