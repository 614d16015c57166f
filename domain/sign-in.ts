import { Schema } from "effect"
import { eventsOf, onlyOnce } from "./decider.ts"
import { OperatorRole } from "./operators.ts"

/**
 * An operator signed in to the console. Each session has a stream of its own, `session-{id}`, with one event. Its end
 * stands in `console-sessions` (domain/console-sessions.ts), because a session is checked without reading this stream.
 */

/** How an operator signed in: with a token, which includes `ADMIN_TOKEN`, or at the OpenID Connect provider. */
export const SignInSource = Schema.Literals(["token", "oidc"])
export type SignInSource = typeof SignInSource.Type

// These names are the storage format: add, never edit.
export const SignInEvent = Schema.TaggedUnion({
  OperatorSignedIn: {
    sessionId: Schema.String,
    /** The operator's name. */
    operator: Schema.String,
    /** The role at the time of signing in. */
    role: OperatorRole,
    source: SignInSource,
    /** The epoch in which the session began (domain/console-sessions.ts). */
    epoch: Schema.Int,
    /** ISO 8601, UTC. */
    at: Schema.String,
    /** When the session ends at the latest. ISO 8601, UTC. */
    expiresAt: Schema.String
  }
})
export type SignInEvent = typeof SignInEvent.Type

export type RecordSignIn = { readonly _tag: "RecordSignIn" } & Omit<SignInEvent, "_tag">

const make = eventsOf(SignInEvent)

export const signIn = onlyOnce<RecordSignIn, SignInEvent>(
  ({ at, epoch, expiresAt, operator, role, sessionId, source }) =>
    make.OperatorSignedIn({ sessionId, operator, role, source, epoch, at, expiresAt })
)
