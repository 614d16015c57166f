import { Schema } from "effect"
import { type Complete, eventsOf, onlyOnce } from "./decider.ts"
import { replyFields } from "./slip/gateway-reply.ts"

/**
 * A verification that ended without a verified slip. Successes are in the slip's stream. This one, `verification-{id}`,
 * records the others: no slip in the source, a slip that no bank knows (yet), a bank that was unavailable. A new code
 * must follow docs/spec/events.md, "Changing an event".
 */

/** How a verification can end without a slip. */
export const FailureCode = Schema.Literals(["SLIP_NOT_FOUND", "SLIP_PENDING", "API_SERVER_ERROR"])
export type FailureCode = typeof FailureCode.Type

const failure = {
  verificationId: Schema.String,
  serviceId: Schema.String,
  branchId: Schema.String,
  /** ISO 8601, UTC. */
  at: Schema.String,
  code: FailureCode,
  /** For a person: the step at which it ended, and the reason. */
  why: Schema.String,
  /** Null when no slip was read, so no bank was asked. */
  slipDigest: Schema.NullOr(Schema.String),
  gateway: Schema.NullOr(Schema.String),
  gatewayMillis: Schema.NullOr(Schema.Int),
  ...replyFields
}

// These names are the storage format: add, never edit.
export const VerificationEvent = Schema.TaggedUnion({ VerificationFailed: failure })
export type VerificationEvent = typeof VerificationEvent.Type

export type RecordFailure = { readonly _tag: "RecordFailure" } & Omit<Complete<VerificationEvent>, "_tag">

const make = eventsOf(VerificationEvent)

export const verification = onlyOnce<RecordFailure, VerificationEvent>((
  { askedBefore, at, branchId, code, gateway, gatewayMillis, serviceId, slipDigest, upstream, verificationId, why }
) =>
  make.VerificationFailed({
    verificationId,
    serviceId,
    branchId,
    at,
    code,
    why,
    slipDigest,
    gateway,
    gatewayMillis,
    upstream,
    askedBefore
  })
)
