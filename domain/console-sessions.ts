import { Result, Schema } from "effect"
import { type Complete, type Decider, eventsOf } from "./decider.ts"

/**
 * The console sessions that ended before they expired. Sessions themselves are signed and not stored, so the stream,
 * `console-sessions`, has only their ends. A session names the epoch in which it started. A new epoch ends the sessions of
 * earlier ones, all or those of one operator, independently of the clocks of processes.
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
    /** The name of the operator whose sessions end; absent when all end. Earlier versions end all in both cases. */
    operator: Schema.optional(Schema.String),
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type ConsoleSessionsEvent = typeof ConsoleSessionsEvent.Type

export interface ConsoleSessionsState {
  /** The epoch of new sessions; 0 at first. */
  readonly epoch: number
  /** Sessions of earlier epochs have ended. */
  readonly oldestOpen: number
  /** By the operator's name in lower case: sessions of the operator of earlier epochs have ended. */
  readonly oldestOpenOf: ReadonlyMap<string, number>
  /** Ended sessions of the epoch that have not expired, with the time when they would. */
  readonly ended: ReadonlyMap<string, string>
}

export type ConsoleSessionsCommand =
  | { readonly _tag: "EndSession"; readonly sessionId: string; readonly expiresAt: string; readonly at: string }
  /** Ends the sessions of all epochs before `epoch`: all, or those of one operator. A new epoch begins. */
  | {
    readonly _tag: "EndAllSessions"
    readonly epoch: number
    readonly operator?: string | undefined
    readonly at: string
  }

/** Providers spell one account in several ways, and an operator types the name: the case must not leave a session open. */
const keyOf = (operator: string): string => operator.toLowerCase()

/** Times of one format are in the order of their texts. */
const evolve = (state: ConsoleSessionsState, event: ConsoleSessionsEvent): ConsoleSessionsState => {
  if (event._tag === "ConsoleSessionsEnded") {
    const { epoch, operator } = event
    return operator === undefined
      ? { epoch, oldestOpen: epoch, oldestOpenOf: new Map(), ended: new Map() }
      : { ...state, epoch, oldestOpenOf: new Map([...state.oldestOpenOf, [keyOf(operator), epoch]]) }
  }
  const remembered = [...state.ended].filter(([, expiresAt]) => expiresAt > event.at)
  return { ...state, ended: new Map([...remembered, [event.sessionId, event.expiresAt]]) }
}

const make = eventsOf(ConsoleSessionsEvent)

/** The oldest epoch whose sessions are open, those of one operator or in general. */
const oldestOpenFor = ({ oldestOpen, oldestOpenOf }: ConsoleSessionsState, operator: string | undefined): number =>
  Math.max(oldestOpen, operator === undefined ? 0 : oldestOpenOf.get(keyOf(operator)) ?? 0)

const decide = (
  command: ConsoleSessionsCommand,
  state: ConsoleSessionsState
): Result.Result<ReadonlyArray<Complete<ConsoleSessionsEvent>>> => {
  const { at } = command
  if (command._tag === "EndAllSessions") {
    const { operator } = command
    if (oldestOpenFor(state, operator) >= command.epoch) return Result.succeed([])
    const epoch = Math.max(command.epoch, state.epoch + 1)
    return Result.succeed([make.ConsoleSessionsEnded({ epoch, operator, at })])
  }
  const { expiresAt, sessionId } = command
  return Result.succeed(state.ended.has(sessionId) ? [] : [make.ConsoleSessionEnded({ sessionId, expiresAt, at })])
}

export const consoleSession: Decider<ConsoleSessionsCommand, ConsoleSessionsState, ConsoleSessionsEvent> = {
  initialState: { epoch: 0, oldestOpen: 0, oldestOpenOf: new Map(), ended: new Map() },
  evolve,
  decide,
  isTerminal: () => false
}

/** Whether a session may still be used. An epoch above the known one was read by another process after this one. */
export const isOpen = (
  state: ConsoleSessionsState,
  { epoch, id, operator }: { readonly id: string; readonly epoch: number; readonly operator: string }
): boolean => epoch >= oldestOpenFor(state, operator) && !state.ended.has(id)
