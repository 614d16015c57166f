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
    /** The id of the operator who asked. Null for a key, and for an operator who is not in the list. Absent as null. */
    operatorId: Schema.optional(Schema.NullOr(Schema.String)),
    /** The digest of the branch's default key at that time; null without one. Absent: its end does not end the link. */
    defaultKey: Schema.optional(Schema.NullOr(Schema.String)),
    /** The digest of the key that the link issues. Absent in events of earlier versions. */
    keyDigest: Schema.optional(Schema.String),
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
  },
  /** The link ended before it was redeemed. */
  SignInLinkWithdrawn: {
    branchId: Schema.String,
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
  readonly isWithdrawn: boolean
}

export type SignInLinkCommand =
  | { readonly _tag: "MakeSignInLink" } & Omit<Complete<SignInLinkMade>, "_tag">
  | {
    readonly _tag: "RedeemSignInLink"
    readonly redemptionId: string
    readonly keyDigest: string
    readonly at: string
  }
  /** Ends a link of a branch. Nothing when it has ended. */
  | { readonly _tag: "WithdrawSignInLink"; readonly branchId: string; readonly at: string }

/**
 * Why a link cannot be redeemed or withdrawn: there is no such link, it was used, its time is over, it was withdrawn, or the
 * operator who made it may not make links any more.
 */
export class SignInLinkRefused extends Schema.TaggedError<SignInLinkRefused>()("SignInLinkRefused", {
  reason: Schema.Literals(["unknown", "used", "expired", "withdrawn", "maker-ended"])
}) {}

/** The same form made a link before. The link was shown then, and is not shown again. */
export class SignInLinkMadeBefore extends Schema.TaggedError<SignInLinkMadeBefore>()("SignInLinkMadeBefore", {}) {}

const evolve = (state: SignInLinkState, event: SignInLinkEvent): SignInLinkState => {
  switch (event._tag) {
    case "SignInLinkMade":
      return { ...state, made: event }
    case "SignInLinkRedeemed":
      return { ...state, redemptionId: event.redemptionId }
    case "SignInLinkWithdrawn":
      return { ...state, isWithdrawn: true }
  }
}

const refused = (reason: SignInLinkRefused["reason"]) => Result.fail(new SignInLinkRefused({ reason }))

/** The link, if it may be redeemed at a moment (ISO 8601, UTC). Times of one format are in the order of their texts. */
export const redeemable = (
  { isWithdrawn, made, redemptionId }: SignInLinkState,
  at: string
): Result.Result<SignInLinkMade, SignInLinkRefused> => {
  if (made === null) return refused("unknown")
  if (redemptionId !== null) return refused("used")
  if (isWithdrawn) return refused("withdrawn")
  return at < made.expiresAt ? Result.succeed(made) : refused("expired")
}

const make = eventsOf(SignInLinkEvent)

const decide = (
  command: SignInLinkCommand,
  state: SignInLinkState
): Result.Result<ReadonlyArray<Complete<SignInLinkEvent>>, SignInLinkRefused> => {
  switch (command._tag) {
    case "MakeSignInLink": {
      const { _tag, ...fields } = command
      return Result.succeed(state.made === null ? [make.SignInLinkMade(fields)] : [])
    }
    case "RedeemSignInLink": {
      const { at, keyDigest, redemptionId } = command
      if (state.redemptionId === redemptionId) return Result.succeed([])
      return Result.map(
        redeemable(state, at),
        ({ branchId }) => [make.SignInLinkRedeemed({ branchId, redemptionId, keyDigest, at })]
      )
    }
    case "WithdrawSignInLink": {
      const { at, branchId } = command
      if (state.made?.branchId !== branchId) return refused("unknown")
      if (state.redemptionId !== null) return refused("used")
      const hasEnded = state.isWithdrawn || at >= state.made.expiresAt
      return Result.succeed(hasEnded ? [] : [make.SignInLinkWithdrawn({ branchId, at })])
    }
  }
}

export const signInLink: Decider<SignInLinkCommand, SignInLinkState, SignInLinkEvent, SignInLinkRefused> = {
  initialState: { made: null, redemptionId: null, isWithdrawn: false },
  evolve,
  decide,
  isTerminal: ({ isWithdrawn, redemptionId }) => redemptionId !== null || isWithdrawn
}
