import { Schema } from "effect"
import { eventsOf, onlyOnce } from "./decider.ts"

/**
 * An operator was refused: the role is missing, or the name belongs to another account. Each refusal has a stream of its
 * own, `refusal-{id}`, with one event.
 */

// These names are the storage format: add, never edit.
export const RefusedAttemptEvent = Schema.TaggedUnion({
  OperatorRefused: {
    refusalId: Schema.String,
    /** The operator's name. */
    operator: Schema.String,
    /** What the operator tried: an entry of the table of permissions, such as `banService`. */
    operation: Schema.String,
    surface: Schema.Literals(["api", "console"]),
    /** The subject of an account of the OpenID Connect provider that was refused; absent for other attempts. */
    subject: Schema.optional(Schema.String),
    /** The name belongs to another account of the provider. Absent: the role is missing. */
    reason: Schema.optional(Schema.Literals(["name-taken"])),
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type RefusedAttemptEvent = typeof RefusedAttemptEvent.Type

export type RecordRefusal = { readonly _tag: "RecordRefusal" } & Omit<RefusedAttemptEvent, "_tag">

const make = eventsOf(RefusedAttemptEvent)

export const refusedAttempt = onlyOnce<RecordRefusal, RefusedAttemptEvent>(
  ({ at, operation, operator, reason, refusalId, subject, surface }) =>
    make.OperatorRefused({ refusalId, operator, operation, surface, subject, reason, at })
)
