import { Schema } from "effect"
import { eventsOf, onlyOnce } from "./decider.ts"

/**
 * A person was shown personal data that is sealed in the log. Each disclosure has a stream of its own, `reveal-{id}`, with
 * one event. It is appended before anything is shown, so the trail says who saw whose data.
 */

/** Whose data it was; of a slip the digest that its streams are named after. */
const DisclosureSubject = Schema.Struct({
  kind: Schema.Literals(["job", "slip", "verification", "branch"]),
  id: Schema.String
})
export type DisclosureSubject = typeof DisclosureSubject.Type

// These names are the storage format: add, never edit.
export const DisclosureEvent = Schema.TaggedUnion({
  PersonalDataRevealed: {
    revealId: Schema.String,
    /** The user of the operating system, or `admin-api`: the holder of its token. */
    by: Schema.String,
    /** How it was asked for, such as `trail export`. */
    command: Schema.String,
    /** The time of the events that were shown, ISO 8601, UTC, both included; null: without such a bound. */
    from: Schema.NullOr(Schema.String),
    to: Schema.NullOr(Schema.String),
    /** Null: of all branches, or of the one that the subject belongs to. */
    branchId: Schema.NullOr(Schema.String),
    /** Null: everything within the bounds. */
    subject: Schema.NullOr(DisclosureSubject),
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type DisclosureEvent = typeof DisclosureEvent.Type

export type RecordReveal = { readonly _tag: "RecordReveal" } & Omit<DisclosureEvent, "_tag">

const make = eventsOf(DisclosureEvent)

export const reveal = onlyOnce<RecordReveal, DisclosureEvent>(
  ({ at, branchId, by, command, from, revealId, subject, to }) =>
    make.PersonalDataRevealed({ revealId, by, command, from, to, branchId, subject, at })
)
