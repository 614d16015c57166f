import { Result, Schema } from "effect"
import { type Decider, eventsOf } from "./decider.ts"

/**
 * The attempt of a command is not the one after the last attempt in the log: attempts are numbered from 1 without gaps,
 * so the caller counted from another state.
 */
export class AttemptSkipped extends Schema.TaggedError<AttemptSkipped>()("AttemptSkipped", { attempt: Schema.Int }) {}

/**
 * The callback that sends the result of a job. Its stream, `callback-{jobId}`, decides that it ends once: delivered,
 * rejected or abandoned. A requested redelivery opens it again (docs/spec/http.md, "Callback").
 */

const subject = {
  jobId: Schema.String,
  branchId: Schema.String,
  /** Name and port of the server, as in `callbackHost`. */
  host: Schema.String,
  /** ISO 8601, UTC; so are all times here. */
  at: Schema.String
}

const attempt = {
  ...subject,
  /** 1 for the first; redeliveries count on. */
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
  /** What is sent where, for good: the body is the result of the job, `bodyDigest` its SHA-256 in hexadecimal. */
  CallbackScheduled: {
    ...subject,
    url: Schema.String,
    bodyDigest: Schema.String,
    nextAttemptAt: Schema.String
  },
  /** Appended before the request goes out: without an outcome after it the callback may have arrived or not. */
  CallbackSent: attempt,
  CallbackAttemptFailed: {
    ...attempt,
    /** Null when there was no answer. */
    status: Schema.NullOr(Schema.Int),
    /** For a person. */
    reason: Schema.String,
    tookMillis: Schema.Int,
    /** Null when it was the last one: `CallbackAbandoned` follows in the same append. */
    nextAttemptAt: Schema.NullOr(Schema.String)
  },
  CallbackDelivered: answer,
  CallbackRejected: answer,
  CallbackAbandoned: { ...subject, attempts: Schema.Int },
  /** The schedule of retries begins anew; a callback that had ended is open again. */
  CallbackRedeliveryRequested: { ...subject, nextAttemptAt: Schema.String }
})
export type CallbackEvent = typeof CallbackEvent.Type

export type CallbackEnd = "delivered" | "rejected" | "abandoned"

export interface CallbackState {
  readonly scheduled: Extract<CallbackEvent, { readonly _tag: "CallbackScheduled" }> | null
  /** How often it was sent. */
  readonly attempts: number
  /** Attempts whose outcome is not in the log, the oldest first. */
  readonly unanswered: ReadonlyArray<number>
  /** When it was sent the last time. */
  readonly sentAt: string | null
  /** Failed attempts since the schedule began: lost outcomes use none of it up, they are not the receiver's fault. */
  readonly failures: number
  /** When the next attempt is due; null while one is under way, and at the end. */
  readonly nextAttemptAt: string | null
  /** A redelivery was asked for and has not gone out yet. */
  readonly isRedeliveryRequested: boolean
  readonly end: CallbackEnd | null
  /** Of the last attempt that is known; null when it got no answer. */
  readonly lastStatus: number | null
  readonly deliveredAt: string | null
}

/** Whether the callback has ended. A redelivery opens it again. */
export const isEnded = (state: CallbackState): boolean => state.end !== null

/** Whether the outcome of the newest attempt is still to come, or was lost with the process that made it. */
export const isUnderWay = (state: CallbackState): boolean => state.unanswered.includes(state.attempts)

/** The server that a URL names, with its port unless that is the scheme's own: what limits and circuits count by. */
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

/** What came of one attempt. */
export type AttemptOutcome =
  | { readonly _tag: "Delivered" | "Rejected"; readonly status: number; readonly tookMillis: number }
  | {
    readonly _tag: "Failed"
    readonly status: number | null
    readonly reason: string
    readonly tookMillis: number
    /** Null gives up. */
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
  /** Nothing to append means that another process sends this attempt: the request must not go out. */
  | SendCallback
  | RecordOutcome
  | { readonly _tag: "RequestRedelivery"; readonly at: string }

/** Nothing was ever sent for that job. */
export class CallbackUnknown extends Schema.TaggedError<CallbackUnknown>()("CallbackUnknown", {}) {}

const make = eventsOf(CallbackEvent)

const send = (command: SendCallback, { scheduled }: CallbackState): ReadonlyArray<CallbackEvent> => {
  const { at, attempt, bodyDigest, branchId, jobId, url } = command
  const host = scheduled?.host ?? callbackHost(url)
  const sent = make.CallbackSent({ jobId, branchId, host, at, attempt })
  if (scheduled !== null) return [sent]
  return [make.CallbackScheduled({ jobId, branchId, host, at, url, bodyDigest, nextAttemptAt: at }), sent]
}

type About = Pick<CallbackEvent, "jobId" | "branchId" | "host" | "at">

/**
 * An attempt that fails, or is rejected, while a redelivery is asked for does not end the callback: what was asked
 * for goes out, as soon as it was to. Of attempts that were given up for lost only a delivery counts, and ends it.
 */
const record = (command: RecordOutcome, state: CallbackState, about: About): ReadonlyArray<CallbackEvent> => {
  const { attempt, outcome } = command
  if (!state.unanswered.includes(attempt)) return []
  const { tookMillis } = outcome
  if (outcome._tag === "Delivered") {
    return [make.CallbackDelivered({ ...about, attempt, status: outcome.status, tookMillis })]
  }
  if (attempt < state.attempts) return []
  if (outcome._tag === "Rejected" && !state.isRedeliveryRequested) {
    return [make.CallbackRejected({ ...about, attempt, status: outcome.status, tookMillis })]
  }
  const { reason, retryAt } = outcome._tag === "Failed" ? outcome : { reason: "rejected", retryAt: null }
  const nextAttemptAt = state.isRedeliveryRequested ? state.nextAttemptAt : retryAt
  return [
    make.CallbackAttemptFailed({ ...about, attempt, status: outcome.status, reason, tookMillis, nextAttemptAt }),
    ...(nextAttemptAt === null ? [make.CallbackAbandoned({ ...about, attempts: state.attempts })] : [])
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
  const about: About = { jobId, branchId, host, at: command.at }
  if (command._tag === "RecordOutcome") {
    if (command.attempt > attempts) return Result.fail(new AttemptSkipped({ attempt: command.attempt }))
    return Result.succeed(record(command, state, about))
  }
  if (state.isRedeliveryRequested) return Result.succeed([])
  return Result.succeed([make.CallbackRedeliveryRequested({ ...about, nextAttemptAt: command.at })])
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
 * A URL as it is shown to people who operate the service: what stands behind `?` or `#` is often a token, and so left
 * out. What is no URL is given back as it is up to there.
 */
export const withoutQuery = (url: string): string => url.replace(/[?#].*$/su, "")
