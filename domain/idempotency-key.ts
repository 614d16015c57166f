import { Result, Schema } from "effect"
import { type Decider, eventsOf } from "./decider.ts"

/**
 * A request that its caller gave a key, so that it can be sent again without being done again. The stream,
 * `request-{digest of branch and key}`, decides which request the key stands for, and under which id what is asked for
 * is done: under that id it comes out once, however often it is begun (docs/spec/http.md, "Idempotency-Key").
 */

// These names are the storage format: add, never edit.
export const RequestEvent = Schema.TaggedUnion({
  RequestBegun: {
    branchId: Schema.String,
    /** Digest of what was asked for: route and body. */
    fingerprint: Schema.String,
    /** Id of the verification, job, batch or account that it leads to. */
    subjectId: Schema.String,
    /** ISO 8601, UTC; so are all times here. */
    at: Schema.String
  },
  /** Refused for good: the same request gets the same error again. */
  RequestRefused: { subjectId: Schema.String, code: Schema.String, message: Schema.String, at: Schema.String },
  /** It led to nothing that is to be remembered: the key is free again. */
  RequestReleased: { subjectId: Schema.String, at: Schema.String }
})
export type RequestEvent = typeof RequestEvent.Type
export type RequestBegun = Extract<RequestEvent, { readonly _tag: "RequestBegun" }>
export type RequestRefused = Extract<RequestEvent, { readonly _tag: "RequestRefused" }>

export interface RequestState {
  /** The request that the key stands for; null when it is free. */
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

/** How long a key stands for its request (docs/spec/http.md, "Idempotency-Key"). */
const KEPT_MILLIS = 24 * 3_600_000

/** The request that a key stands for at a time; undefined when it is free. */
export const requestInForce = ({ begun }: RequestState, at: string): RequestBegun | undefined =>
  begun !== null && Date.parse(at) - Date.parse(begun.at) < KEPT_MILLIS ? begun : undefined

export type RequestCommand =
  /** Begins a request, or goes on with the same one: then `subjectId` is the one that it was begun under. */
  | {
    readonly _tag: "BeginRequest"
    readonly branchId: string
    readonly fingerprint: string
    readonly subjectId: string
    readonly at: string
  }
  | {
    readonly _tag: "RefuseRequest"
    readonly subjectId: string
    readonly code: string
    readonly message: string
    readonly at: string
  }
  | { readonly _tag: "ReleaseRequest"; readonly subjectId: string; readonly at: string }

/** The key stands for another request. */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {}

const make = eventsOf(RequestEvent)

const decide = (
  command: RequestCommand,
  state: RequestState
): Result.Result<ReadonlyArray<RequestEvent>, KeyReused> => {
  if (command._tag === "BeginRequest") {
    const known = requestInForce(state, command.at)
    if (known !== undefined && known.fingerprint !== command.fingerprint) return Result.fail(new KeyReused())
    const { at, branchId, fingerprint, subjectId } = command
    return Result.succeed(known === undefined ? [make.RequestBegun({ branchId, fingerprint, subjectId, at })] : [])
  }
  // What ended late, after the key went to another request, says nothing of that one.
  const isItsEnd = state.begun?.subjectId === command.subjectId && state.refused === null
  if (!isItsEnd) return Result.succeed([])
  if (command._tag === "RefuseRequest") {
    const { at, code, message, subjectId } = command
    return Result.succeed([make.RequestRefused({ subjectId, code, message, at })])
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
