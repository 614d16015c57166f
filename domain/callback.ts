import { Result, Schema } from "effect"
import { type Decider, eventsOf } from "./decider.ts"

/**
 * The log does not have the attempt before the one in the command. Attempts are numbered from 1 without gaps, so the
 * caller decided from another state.
 */
export class AttemptSkipped extends Schema.TaggedError<AttemptSkipped>()("AttemptSkipped", { attempt: Schema.Int }) {}

/**
 * The callback that sends the result of a job. Its stream, `callback-{jobId}`, ensures that it ends once: delivered,
 * rejected or abandoned. A requested redelivery opens it again (docs/spec/http.md, "Callback").
 */

const subject = {
  jobId: Schema.String,
  branchId: Schema.String,
  /** Name and port of the server, as in `callbackHost`. */
  host: Schema.String,
  /** All times in this file are ISO 8601, UTC. */
  at: Schema.String
}

const attempt = {
  ...subject,
  /** Counts from 1; redeliveries continue the count. */
  attempt: Schema.Int
}

const answer = {
  ...attempt,
  /** The HTTP status of the answer. */
  status: Schema.Int,
  tookMillis: Schema.Int
}

// These names are the storage format: add, never edit.
export const CallbackEvent = Schema.TaggedUnion({
  /** Fixes the URL and the body: the body is the job's result, `bodyDigest` is its SHA-256 in hexadecimal. */
  CallbackScheduled: {
    ...subject,
    url: Schema.String,
    bodyDigest: Schema.String,
    nextAttemptAt: Schema.String
  },
  /** Appended before the request is sent. Without a later outcome, the callback may or may not have arrived. */
  CallbackSent: attempt,
  CallbackAttemptFailed: {
    ...attempt,
    /** Null when there was no answer. */
    status: Schema.NullOr(Schema.Int),
    /** For a person. */
    reason: Schema.String,
    tookMillis: Schema.Int,
    /** Null after the last attempt: `CallbackAbandoned` follows in the same append. */
    nextAttemptAt: Schema.NullOr(Schema.String)
  },
  CallbackDelivered: answer,
  CallbackRejected: answer,
  CallbackAbandoned: { ...subject, attempts: Schema.Int },
  /** Restarts the retry schedule. A callback that had ended is open again. */
  CallbackRedeliveryRequested: { ...subject, nextAttemptAt: Schema.String }
})
export type CallbackEvent = typeof CallbackEvent.Type

export type CallbackEnd = "delivered" | "rejected" | "abandoned"

export interface CallbackState {
  readonly scheduled: Extract<CallbackEvent, { readonly _tag: "CallbackScheduled" }> | null
  /** The number of attempts. */
  readonly attempts: number
  /** Attempts whose outcome is not in the log, the oldest first. */
  readonly unanswered: ReadonlyArray<number>
  /** When the last attempt was sent. */
  readonly sentAt: string | null
  /** Failed attempts since the retry schedule began. Lost outcomes do not count: the receiver did not cause them. */
  readonly failures: number
  /** When the next attempt is due; null during an attempt and after the end. */
  readonly nextAttemptAt: string | null
  /** A redelivery was requested and is not sent yet. */
  readonly isRedeliveryRequested: boolean
  readonly end: CallbackEnd | null
  /** HTTP status of the last known outcome; null without an answer. */
  readonly lastStatus: number | null
  readonly deliveredAt: string | null
}

/** Whether the callback has ended. A redelivery opens it again. */
export const isEnded = (state: CallbackState): boolean => state.end !== null

/** Whether the log lacks the outcome of the newest attempt: the attempt is running, or its process died. */
export const isUnderWay = (state: CallbackState): boolean => state.unanswered.includes(state.attempts)

/** The host of a URL, with its port unless that is the scheme's default. Limits and circuits count by host. */
export const callbackHost = (url: string): string => URL.parse(url)?.host || "invalid"

const ended = (state: CallbackState, end: CallbackEnd): CallbackState => ({
  ...state,
  end,
  unanswered: [],
  nextAttemptAt: null,
  isRedeliveryRequested: false
})

const evolve = (state: CallbackState, event: CallbackEvent): CallbackState => {
  switch (event._tag) {
    case "CallbackScheduled":
      return { ...state, scheduled: event, nextAttemptAt: event.nextAttemptAt }
    case "CallbackSent": {
      const { at: sentAt, attempt } = event
      const unanswered = [...state.unanswered, attempt]
      return { ...state, attempts: attempt, unanswered, sentAt, nextAttemptAt: null, isRedeliveryRequested: false }
    }
    case "CallbackAttemptFailed":
      return {
        ...state,
        unanswered: state.unanswered.filter((attempt) => attempt !== event.attempt),
        failures: state.isRedeliveryRequested ? state.failures : state.failures + 1,
        nextAttemptAt: event.nextAttemptAt,
        lastStatus: event.status
      }
    case "CallbackDelivered":
      return { ...ended(state, "delivered"), lastStatus: event.status, deliveredAt: event.at }
    case "CallbackRejected":
      return { ...ended(state, "rejected"), lastStatus: event.status }
    case "CallbackAbandoned":
      return ended(state, "abandoned")
    case "CallbackRedeliveryRequested":
      return { ...state, end: null, failures: 0, nextAttemptAt: event.nextAttemptAt, isRedeliveryRequested: true }
  }
}

/** The outcome of one attempt. */
export type AttemptOutcome =
  | { readonly _tag: "Delivered" | "Rejected"; readonly status: number; readonly tookMillis: number }
  | {
    readonly _tag: "Failed"
    readonly status: number | null
    readonly reason: string
    readonly tookMillis: number
    /** Null: no further attempt follows. */
    readonly retryAt: string | null
  }

interface SendCallback {
  readonly _tag: "SendCallback"
  readonly jobId: string
  readonly branchId: string
  readonly url: string
  readonly bodyDigest: string
  readonly attempt: number
  readonly at: string
}

interface RecordOutcome {
  readonly _tag: "RecordOutcome"
  readonly attempt: number
  readonly at: string
  readonly outcome: AttemptOutcome
}

export type CallbackCommand =
  /** When this gives no events, another process sends this attempt: the caller must not send the request. */
  | SendCallback
  | RecordOutcome
  | { readonly _tag: "RequestRedelivery"; readonly at: string }

/** No callback was ever sent for that job. */
export class CallbackUnknown extends Schema.TaggedError<CallbackUnknown>()("CallbackUnknown", {}) {}

const make = eventsOf(CallbackEvent)

const send = (command: SendCallback, { scheduled }: CallbackState): ReadonlyArray<CallbackEvent> => {
  const { at, attempt, bodyDigest, branchId, jobId, url } = command
  const host = scheduled?.host ?? callbackHost(url)
  const sent = make.CallbackSent({ jobId, branchId, host, at, attempt })
  if (scheduled !== null) return [sent]
  return [make.CallbackScheduled({ jobId, branchId, host, at, url, bodyDigest, nextAttemptAt: at }), sent]
}

type CommonFields = Pick<CallbackEvent, "jobId" | "branchId" | "host" | "at">

/**
 * While a redelivery is requested, a failed or rejected attempt does not end the callback: the redelivery is sent when
 * it is due. For an attempt before the newest one, only a delivery counts, and it ends the callback.
 */
const record = (command: RecordOutcome, state: CallbackState, common: CommonFields): ReadonlyArray<CallbackEvent> => {
  const { attempt, outcome } = command
  if (!state.unanswered.includes(attempt)) return []
  const { tookMillis } = outcome
  if (outcome._tag === "Delivered") {
    return [make.CallbackDelivered({ ...common, attempt, status: outcome.status, tookMillis })]
  }
  if (attempt < state.attempts) return []
  if (outcome._tag === "Rejected" && !state.isRedeliveryRequested) {
    return [make.CallbackRejected({ ...common, attempt, status: outcome.status, tookMillis })]
  }
  const { reason, retryAt } = outcome._tag === "Failed" ? outcome : { reason: "rejected", retryAt: null }
  const nextAttemptAt = state.isRedeliveryRequested ? state.nextAttemptAt : retryAt
  return [
    make.CallbackAttemptFailed({ ...common, attempt, status: outcome.status, reason, tookMillis, nextAttemptAt }),
    ...(nextAttemptAt === null ? [make.CallbackAbandoned({ ...common, attempts: state.attempts })] : [])
  ]
}

const decide = (
  command: CallbackCommand,
  state: CallbackState
): Result.Result<ReadonlyArray<CallbackEvent>, CallbackUnknown | AttemptSkipped> => {
  const { attempts, scheduled } = state
  if (command._tag === "SendCallback") {
    if (isEnded(state) || command.attempt <= attempts) return Result.succeed([])
    if (command.attempt > attempts + 1) return Result.fail(new AttemptSkipped({ attempt: command.attempt }))
    return Result.succeed(send(command, state))
  }
  if (scheduled === null) return Result.fail(new CallbackUnknown())
  const { branchId, host, jobId } = scheduled
  const common: CommonFields = { jobId, branchId, host, at: command.at }
  if (command._tag === "RecordOutcome") {
    if (command.attempt > attempts) return Result.fail(new AttemptSkipped({ attempt: command.attempt }))
    return Result.succeed(record(command, state, common))
  }
  if (state.isRedeliveryRequested) return Result.succeed([])
  return Result.succeed([make.CallbackRedeliveryRequested({ ...common, nextAttemptAt: command.at })])
}

export const callback: Decider<CallbackCommand, CallbackState, CallbackEvent, CallbackUnknown | AttemptSkipped> = {
  initialState: {
    scheduled: null,
    attempts: 0,
    unanswered: [],
    sentAt: null,
    failures: 0,
    nextAttemptAt: null,
    isRedeliveryRequested: false,
    end: null,
    lastStatus: null,
    deliveredAt: null
  },
  evolve,
  decide,
  isTerminal: () => false
}

/**
 * A URL as operators see it, without the part from `?` or `#` on, which is often a token. Other texts are cut in the
 * same way.
 */
export const withoutQuery = (url: string): string => url.replace(/[?#].*$/su, "")

/** The outcome of an attempt; `sent` until the outcome is known, and permanently when the outcome was lost. */
export const DeliveryOutcome = Schema.Literals(["sent", "delivered", "rejected", "failed"])

export type DeliveryOutcome = typeof DeliveryOutcome.Type

export const CallbackListState = Schema.Literals(["pending", "delivered", "rejected", "abandoned"])

export type CallbackListState = typeof CallbackListState.Type
