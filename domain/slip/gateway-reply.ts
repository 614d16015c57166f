import { Schema } from "effect"
import type { Complete } from "../decider.ts"
import { Sealed } from "../sealed.ts"

/** How a gateway ended that did not decide the answer. */
export const EarlierOutcome = Schema.Literals(["not-found", "not-authorised", "quota-exhausted", "unavailable"])
export type EarlierOutcome = typeof EarlierOutcome.Type

/**
 * Event fields that record how a bank was asked, with any outcome. Events that are older than these fields lack them.
 */
export const replyFields = {
  /** The unchanged body of the upstream's answer; null without an answer. */
  upstream: Schema.optionalKey(Schema.NullOr(Sealed)),
  /** The gateways that were asked before, in order, and did not decide the answer. */
  askedBefore: Schema.optionalKey(Schema.Array(Schema.Struct({
    gateway: Schema.String,
    gatewayMillis: Schema.Int,
    /** Older events lack it: they mean `unavailable`. */
    outcome: Schema.optionalKey(EarlierOutcome),
    /** For a person. */
    why: Schema.String
  })))
}

/** Values of `replyFields`. */
export type ReplyRecord = Complete<Schema.Struct<typeof replyFields>["Type"]>
