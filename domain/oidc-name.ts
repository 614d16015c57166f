import { Result, Schema } from "effect"
import { type Complete, type Decider, eventsOf } from "./decider.ts"

/**
 * The account of the OpenID Connect provider that a name of the console belongs to: the first one that signs in with it.
 * Each name has a stream of its own, `oidcName-{digest}`, named after a keyed digest of `nameKey`.
 */

/** Two spellings of one name have the same key: a person must not see two accounts as one. */
export const nameKey = (name: string): string => name.normalize("NFKC").toLowerCase()

// These names are the storage format: add, never edit.
export const OidcNameEvent = Schema.TaggedUnion({
  OidcNameBound: {
    /** As events show it, such as `oidc:ann@shop.example`. */
    name: Schema.String,
    /** The issuer of the settings. */
    issuer: Schema.String,
    /** The claim `sub`: with the issuer it names the account for good. */
    subject: Schema.String,
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type OidcNameEvent = typeof OidcNameEvent.Type

/** An account at a provider. */
export interface OidcIdentity {
  readonly issuer: string
  readonly subject: string
}

export type BindOidcName = { readonly _tag: "BindOidcName" } & Omit<OidcNameEvent, "_tag">

/** The name belongs to another account. */
export class OidcNameTaken extends Schema.TaggedError<OidcNameTaken>()("OidcNameTaken", {}) {}

const make = eventsOf(OidcNameEvent)

const decide = (
  { at, issuer, name, subject }: BindOidcName,
  state: OidcIdentity | null
): Result.Result<ReadonlyArray<Complete<OidcNameEvent>>, OidcNameTaken> => {
  if (state === null) return Result.succeed([make.OidcNameBound({ name, issuer, subject, at })])
  const isSame = state.issuer === issuer && state.subject === subject
  return isSame ? Result.succeed([]) : Result.fail(new OidcNameTaken())
}

export const oidcName: Decider<BindOidcName, OidcIdentity | null, OidcNameEvent, OidcNameTaken> = {
  initialState: null,
  evolve: (state, { issuer, subject }) => state ?? { issuer, subject },
  decide,
  isTerminal: (state) => state !== null
}
