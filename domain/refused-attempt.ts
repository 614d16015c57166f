import { Schema } from "effect"
import { eventsOf, onlyOnce } from "./decider.ts"

/**
 * An operator was refused because of a missing role. Each refusal has a stream of its own, `refusal-{id}`, with one
 * event.
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
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type RefusedAttemptEvent = typeof RefusedAttemptEvent.Type

export type RecordRefusal = { readonly _tag: "RecordRefusal" } & Omit<RefusedAttemptEvent, "_tag">

const make = eventsOf(RefusedAttemptEvent)

export const refusedAttempt = onlyOnce<RecordRefusal, RefusedAttemptEvent>(
  ({ at, operation, operator, refusalId, surface }) =>
    make.OperatorRefused({ refusalId, operator, operation, surface, at })
)
