import { Result, Schema } from "effect"
import { Scope } from "./api-key.ts"
import { type Complete, type Decider, eventsOf } from "./decider.ts"

/**
 * A link that signs one device in to the shop's page, once. Each link has a stream of its own, `signInLink-{digest}`, named
 * after a digest of its token. Redeeming it issues an API key to the branch, which the session of the device stands for.
 */

/** How long a link can be redeemed, in hours, when the request does not say it. */
export const DEFAULT_LINK_HOURS = 24

// These names are the storage format: add, never edit.
export const SignInLinkEvent = Schema.TaggedUnion({
  SignInLinkMade: {
    branchId: Schema.String,
    /** The name of the key that the link issues. */
    name: Schema.String,
    scopes: Schema.Array(Scope),
    /** When the link ends. ISO 8601, UTC. */
    expiresAt: Schema.String,
    /** When the key ends. ISO 8601, UTC; null never. */
    keyExpiresAt: Schema.NullOr(Schema.String),
    /** The networks of the key; null is every address that the branch admits. */
    networks: Schema.NullOr(Schema.Array(Schema.String)),
    /** The digest of the key that asked for the link; null for an operator. */
    madeBy: Schema.NullOr(Schema.String),
    /** ISO 8601, UTC. */
    at: Schema.String
  },
  SignInLinkRedeemed: {
    branchId: Schema.String,
    /** Of the request that redeemed the link. */
    redemptionId: Schema.String,
    keyDigest: Schema.String,
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type SignInLinkEvent = typeof SignInLinkEvent.Type
export type SignInLinkMade = Extract<SignInLinkEvent, { readonly _tag: "SignInLinkMade" }>

export interface SignInLinkState {
  readonly made: SignInLinkMade | null
  /** The id of the request that redeemed the link; null before. */
  readonly redemptionId: string | null
}

export type SignInLinkCommand =
  | { readonly _tag: "MakeSignInLink" } & Omit<SignInLinkMade, "_tag">
  | {
    readonly _tag: "RedeemSignInLink"
    readonly redemptionId: string
    readonly keyDigest: string
    readonly at: string
  }

/** Why a link cannot be redeemed: there is no such link, it was used, or its time is over. */
export class SignInLinkRefused extends Schema.TaggedError<SignInLinkRefused>()("SignInLinkRefused", {
  reason: Schema.Literals(["unknown", "used", "expired"])
}) {}

/** The same form made a link before. The link was shown then, and is not shown again. */
export class SignInLinkMadeBefore extends Schema.TaggedError<SignInLinkMadeBefore>()("SignInLinkMadeBefore", {}) {}

const evolve = (state: SignInLinkState, event: SignInLinkEvent): SignInLinkState =>
  event._tag === "SignInLinkMade" ? { ...state, made: event } : { ...state, redemptionId: event.redemptionId }

/** The link, if it may be redeemed at a moment (ISO 8601, UTC). Times of one format are in the order of their texts. */
export const redeemable = (
  { made, redemptionId }: SignInLinkState,
  at: string
): Result.Result<SignInLinkMade, SignInLinkRefused> => {
  if (made === null) return Result.fail(new SignInLinkRefused({ reason: "unknown" }))
  if (redemptionId !== null) return Result.fail(new SignInLinkRefused({ reason: "used" }))
  return at < made.expiresAt ? Result.succeed(made) : Result.fail(new SignInLinkRefused({ reason: "expired" }))
}

const make = eventsOf(SignInLinkEvent)

const decide = (
  command: SignInLinkCommand,
  state: SignInLinkState
): Result.Result<ReadonlyArray<Complete<SignInLinkEvent>>, SignInLinkRefused> => {
  if (command._tag === "MakeSignInLink") {
    const { _tag, ...fields } = command
    return Result.succeed(state.made === null ? [make.SignInLinkMade(fields)] : [])
  }
  const { at, keyDigest, redemptionId } = command
  if (state.redemptionId === redemptionId) return Result.succeed([])
  return Result.map(
    redeemable(state, at),
    ({ branchId }) => [make.SignInLinkRedeemed({ branchId, redemptionId, keyDigest, at })]
  )
}

export const signInLink: Decider<SignInLinkCommand, SignInLinkState, SignInLinkEvent, SignInLinkRefused> = {
  initialState: { made: null, redemptionId: null },
  evolve,
  decide,
  isTerminal: ({ redemptionId }) => redemptionId !== null
}
