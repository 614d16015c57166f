import { Schema } from "effect"
import { eventsOf, onlyOnce } from "./decider.ts"

/**
 * A person was shown personal data that is sealed in the log. Each disclosure has a stream of its own, `reveal-{id}`,
 * with one event. It is appended before anything is shown, so the trail says who saw whose data.
 */

/** The subject of the shown data. The id of a slip is the digest in the names of its streams. */
const DisclosureSubject = Schema.Struct({
  kind: Schema.Literals(["job", "slip", "verification", "branch"]),
  id: Schema.String
})
export type DisclosureSubject = typeof DisclosureSubject.Type

// These names are the storage format: add, never edit.
export const DisclosureEvent = Schema.TaggedUnion({
  PersonalDataRevealed: {
    revealId: Schema.String,
    /** The name of the operator. Earlier versions: the user of the operating system, or `admin-api`. */
    by: Schema.String,
    /** The command that showed the data, such as `trail export`. */
    command: Schema.String,
    /** Time range of the shown events, ISO 8601, UTC, both included. Null: without this bound. */
    from: Schema.NullOr(Schema.String),
    to: Schema.NullOr(Schema.String),
    /** Null: all branches, or the branch of the subject. */
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

export const disclosure = onlyOnce<RecordReveal, DisclosureEvent>(
  ({ at, branchId, by, command, from, revealId, subject, to }) =>
    make.PersonalDataRevealed({ revealId, by, command, from, to, branchId, subject, at })
)
