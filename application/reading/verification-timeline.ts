import { Effect } from "effect"
import { callbacks, jobs, notes, slips, streamOf, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { findOwn } from "./verification-detail.ts"

/** What happened to a verification at a time (ISO 8601, UTC), as its branch may see it. Durations are in milliseconds. */
export type TimelineStep =
  & { readonly at: string }
  & (
    | { readonly kind: "received" | "note" }
    /** An attempt of a job that did not end it. */
    | { readonly kind: "attempt"; readonly attempt: number }
    | { readonly kind: "asked"; readonly millis: number }
    | { readonly kind: "verified" | "duplicate" | "failed" }
    /** An attempt to deliver the callback; `outcome` is `sent` while none is known. */
    | { readonly kind: "callback"; readonly outcome: "sent" }
    | { readonly kind: "callback"; readonly outcome: "delivered" | "rejected"; readonly status: number }
    | { readonly kind: "callback"; readonly outcome: "failed"; readonly reason: string }
  )

const ofSlip = (recorded: RecordedEvent): ReadonlyArray<TimelineStep> => {
  const event = slips.codec.decode(recorded)
  return event._tag === "SlipVerified"
    ? [{ kind: "asked", at: event.at, millis: event.gatewayMillis }, { kind: "verified", at: event.at }]
    : [{ kind: "duplicate", at: event.at }]
}

const ofFailure = (recorded: RecordedEvent): ReadonlyArray<TimelineStep> => {
  const { at, gatewayMillis } = verifications.codec.decode(recorded)
  const asked: ReadonlyArray<TimelineStep> = gatewayMillis === null
    ? []
    : [{ kind: "asked", at, millis: gatewayMillis }]
  return [...asked, { kind: "failed", at }]
}

/** A success stands in the stream of the slip. */
const ofJob = (recorded: RecordedEvent): ReadonlyArray<TimelineStep> => {
  const event = jobs.codec.decode(recorded)
  switch (event._tag) {
    case "VerificationEnqueued":
      return [{ kind: "received", at: event.at }]
    case "VerificationAttemptFailed":
      return event.nextAttemptAt === null ? [] : [{ kind: "attempt", at: event.at, attempt: event.attempt }]
    case "JobNotFound":
      return [{ kind: "failed", at: event.at }]
    case "JobSucceeded":
      return []
  }
}

const ofCallback = (history: ReadonlyArray<RecordedEvent>): ReadonlyArray<TimelineStep> => {
  /** By attempt: the outcome takes the place of the sending, which the worker records before. */
  const steps = new Map<number, TimelineStep>()
  for (const event of history.map(callbacks.codec.decode)) {
    const { _tag, at } = event
    if (_tag === "CallbackSent") steps.set(event.attempt, { kind: "callback", at, outcome: "sent" })
    if (_tag === "CallbackDelivered") {
      steps.set(event.attempt, { kind: "callback", at, outcome: "delivered", status: event.status })
    }
    if (_tag === "CallbackRejected") {
      steps.set(event.attempt, { kind: "callback", at, outcome: "rejected", status: event.status })
    }
    if (_tag === "CallbackAttemptFailed") {
      steps.set(event.attempt, { kind: "callback", at, outcome: "failed", reason: event.reason })
    }
  }
  return [...steps.values()]
}

/**
 * What happened to a verification of the branch, the oldest first: accepted, asked, answered, callbacks and notes. Names of
 * gateways and operators are not part of it. Fails with `VerificationNotFound` as `verificationDetail` does.
 */
export const verificationTimeline = Effect.fn("verificationTimeline")(function* (id: string, branchId: string) {
  const { history, recorded, verificationId } = yield* findOwn(id, branchId)
  const { readStream } = yield* EventStore
  const ofVerification = recorded === undefined
    ? []
    : recorded.stream.startsWith("slip-")
    ? ofSlip(recorded)
    : ofFailure(recorded)
  const steps: ReadonlyArray<TimelineStep> = [
    ...history.flatMap(ofJob),
    ...ofVerification,
    ...ofCallback(yield* readStream(streamOf.callback(verificationId))),
    ...(yield* readStream(streamOf.notes(verificationId))).map((note): TimelineStep => ({
      kind: "note",
      at: notes.codec.decode(note).at
    }))
  ]
  // Steps of one moment keep their order.
  return steps.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
})
