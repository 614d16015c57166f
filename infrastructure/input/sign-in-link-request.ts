import { Schema } from "effect"
import { DEFAULT_LINK_HOURS } from "../../domain/sign-in-link.ts"
import { decodeFields, type Fields, type Issue } from "./decode.ts"
import { ApiKeyRequest, scopesIn } from "./key-requests.ts"

/** The longest time for which a sign-in link can be redeemed: a week. */
export const MAX_LINK_HOURS = 168

/** A sign-in link of the shop's page, as an operator or the owner of a shop asks for it (docs/spec/http.md, "Sign-in links"). */
export const SignInLinkRequest = Schema.Struct({
  name: ApiKeyRequest.fields.name.annotate({
    description: "The name of the device, and of the key that it gets. 1 to 100 characters."
  }),
  scopes: ApiKeyRequest.fields.scopes.annotate({
    description: "What the device may do: `verify` slips, `read` what was verified, `configure` the branch."
  }),
  validHours: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_LINK_HOURS })).annotate({
      description: "How long the link can be redeemed, in hours.",
      default: DEFAULT_LINK_HOURS
    })
  )
}).annotate({ identifier: "SignInLinkRequest" })

export const decodeSignInLink = decodeFields(SignInLinkRequest)

/** Decodes a form with a box for each scope. */
export const decodeSignInLinkForm = ({ name = "", validHours, ...boxes }: Fields) =>
  decodeSignInLink({
    name,
    scopes: scopesIn(boxes),
    ...(validHours === undefined ? {} : { validHours: Number(validHours) })
  })

/** The fault of a form that was sent before. */
export const formSentBefore: Issue = {
  path: "formId",
  message: "This form was sent before: its link was shown then, and is not shown again"
}
