import { Schema } from "effect"
import { Scope } from "../../domain/api-key.ts"
import { decodeFields, text } from "./decode.ts"

/** The longest time for which a sign-in link can be redeemed: a week. */
export const MAX_LINK_HOURS = 168

/** A sign-in link of the shop's page, as an operator or the owner of a shop asks for it. */
export const SignInLinkRequest = Schema.Struct({
  name: text(100),
  scopes: Schema.NonEmptyArray(Scope),
  validHours: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_LINK_HOURS }))
})

export const decodeSignInLink = decodeFields(SignInLinkRequest)
