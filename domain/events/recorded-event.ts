import { Schema } from "effect"
import { Actor } from "../actor.ts"

/** A JSON value. Event data and read-model rows consist of these. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** Who caused an event, when, and for which request. See docs/spec/events.md, "Metadata of every event". */
export const EventMetadata = Schema.Struct({
  /** ISO 8601, UTC. */
  at: Schema.String,
  /** The id of the request that everything goes back to. The service makes it. */
  correlationId: Schema.String,
  /** The caller's own id of the request. Only events that the request itself appends have it. */
  clientRequestId: Schema.optionalKey(Schema.String),
  causationId: Schema.String,
  actor: Actor,
  schema: Schema.Literal(1)
})
export type EventMetadata = typeof EventMetadata.Type

export interface NewEvent {
  /** UUID, derived from stream, command and index, so that repeating an append of unknown outcome is safe. */
  readonly id: string
  readonly type: string
  readonly data: JsonObject
  readonly metadata: EventMetadata
}

/** A place in the global order of the log. Both numbers count: a filtered read of EventStoreDB needs the pair. */
export interface Position {
  readonly commit: bigint
  readonly prepare: bigint
}

export interface RecordedEvent extends NewEvent {
  readonly stream: string
  /** 0 for the first event of a stream, without gaps. */
  readonly revision: number
  readonly position: Position
  /** When the store recorded the event, in milliseconds since 1970. */
  readonly recordedAt: number
}

/** The position before the first event. */
export const beginning: Position = { commit: 0n, prepare: 0n }

export const isBefore = (position: Position, other: Position): boolean =>
  position.commit < other.commit || (position.commit === other.commit && position.prepare < other.prepare)

/** `commit/prepare`, the text form of a position in checkpoints and answers. */
export const formatPosition = (position: Position): string => `${position.commit}/${position.prepare}`

/** Reads what `formatPosition` wrote; undefined for anything else. */
export const parsePosition = (text: string): Position | undefined => {
  const match = /^(\d+)\/(\d+)$/u.exec(text)
  return match === null ? undefined : { commit: BigInt(match[1] ?? 0), prepare: BigInt(match[2] ?? 0) }
}
