import { Result, Schema } from "effect"
import { type Complete, type Decider, eventsOf } from "./decider.ts"

/**
 * A request with an idempotency key, which the caller can send again without a second effect. The stream,
 * `request-{digest of branch and key}`, decides which request the key belongs to, and the id of the request's subject.
 * Every attempt of the request uses that id, so the request takes effect once (docs/spec/http.md, "Idempotency-Key").
 */

// These names are the storage format: add, never edit.
export const RequestEvent = Schema.TaggedUnion({
  RequestBegun: {
    branchId: Schema.String,
    /** Digest of the route and the body. */
    fingerprint: Schema.String,
    /** Id of the verification, job, batch or account that the request leads to. */
    subjectId: Schema.String,
    /** All times in this file are ISO 8601, UTC. */
    at: Schema.String
  },
  /** A final error: the same request gets the same error again. */
  RequestRefused: {
    subjectId: Schema.String,
    code: Schema.String,
    message: Schema.String,
    /** The `detail` of the error. Absent without one, and in old events. */
    detail: Schema.optional(Schema.String),
    at: Schema.String
  },
  /** The outcome is not remembered: the key is free again. */
  RequestReleased: { subjectId: Schema.String, at: Schema.String }
})
export type RequestEvent = typeof RequestEvent.Type
export type RequestBegun = Extract<RequestEvent, { readonly _tag: "RequestBegun" }>
export type RequestRefused = Extract<RequestEvent, { readonly _tag: "RequestRefused" }>

export interface RequestState {
  /** The request that the key belongs to; null when the key is free. */
  readonly begun: RequestBegun | null
  readonly refused: RequestRefused | null
}

const evolve = (state: RequestState, event: RequestEvent): RequestState => {
  switch (event._tag) {
    case "RequestBegun":
      return { begun: event, refused: null }
    case "RequestRefused":
      return { ...state, refused: event }
    case "RequestReleased":
      return { begun: null, refused: null }
  }
}

/** How long a key belongs to its request (docs/spec/http.md, "Idempotency-Key"). */
const KEY_LIFETIME_MILLIS = 24 * 3_600_000

/** The request that a key belongs to at a time; undefined when the key is free. */
export const requestInForce = ({ begun }: RequestState, at: string): RequestBegun | undefined =>
  begun !== null && Date.parse(at) - Date.parse(begun.at) < KEY_LIFETIME_MILLIS ? begun : undefined

interface Fingerprints {
  readonly fingerprint: string
  readonly formerFingerprint?: string | undefined
}

/** Whether a request is the one that a key belongs to, which an earlier version may have begun. */
export const isSameRequest = (begun: RequestBegun, { fingerprint, formerFingerprint }: Fingerprints): boolean =>
  begun.fingerprint === fingerprint || begun.fingerprint === formerFingerprint

export type RequestCommand =
  /** Begins a request. Gives no event when the same request was begun before: its first `subjectId` then counts. */
  | {
    readonly _tag: "BeginRequest"
    readonly branchId: string
    readonly fingerprint: string
    /** What an earlier version stored for the same request. Undefined where it is the same. */
    readonly formerFingerprint?: string | undefined
    readonly subjectId: string
    readonly at: string
  }
  | {
    readonly _tag: "RefuseRequest"
    readonly subjectId: string
    readonly code: string
    readonly message: string
    readonly detail?: string | undefined
    readonly at: string
  }
  | { readonly _tag: "ReleaseRequest"; readonly subjectId: string; readonly at: string }

/** The key belongs to another request. */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {}

const make = eventsOf(RequestEvent)

const decide = (
  command: RequestCommand,
  state: RequestState
): Result.Result<ReadonlyArray<Complete<RequestEvent>>, KeyReused> => {
  if (command._tag === "BeginRequest") {
    const known = requestInForce(state, command.at)
    if (known !== undefined && !isSameRequest(known, command)) return Result.fail(new KeyReused())
    const { at, branchId, fingerprint, subjectId } = command
    return Result.succeed(known === undefined ? [make.RequestBegun({ branchId, fingerprint, subjectId, at })] : [])
  }
  // The end of an old request must not change a newer request that has the key now.
  const isCurrent = state.begun?.subjectId === command.subjectId && state.refused === null
  if (!isCurrent) return Result.succeed([])
  if (command._tag === "RefuseRequest") {
    const { at, code, detail, message, subjectId } = command
    return Result.succeed([make.RequestRefused({ subjectId, code, message, detail, at })])
  }
  const { at, subjectId } = command
  return Result.succeed([make.RequestReleased({ subjectId, at })])
}

export const request: Decider<RequestCommand, RequestState, RequestEvent, KeyReused> = {
  initialState: { begun: null, refused: null },
  evolve,
  decide,
  isTerminal: () => false
}
