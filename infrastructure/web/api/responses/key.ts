import { Schema } from "effect"
import { KeyView, SignInLinkView } from "../../../../application/views/keys.ts"
import { Scope } from "../../../../domain/api-key.ts"
import { Time } from "../../../../application/views/values.ts"
import { pageOf } from "../values.ts"

const apiKey = Schema.String.annotate({ description: "Shown this once." })

/** An API key of a branch (docs/spec/http.md, "API keys"). */
export const ApiKey = KeyView.annotate({ identifier: "ApiKey" })
export const ApiKeys = pageOf(ApiKey).annotate({ identifier: "ApiKeys" })
export const NewApiKey = Schema.Struct({ ...KeyView.fields, apiKey }).annotate({ identifier: "NewApiKey" })
export const RotatedApiKey = Schema.Struct({
  ...KeyView.fields,
  apiKey,
  previousExpiresAt: Time.annotate({ description: "Until then the replaced key works too." })
}).annotate({ identifier: "RotatedApiKey" })

/** A link that signs one device in to the shop's page (docs/spec/http.md, "Sign-in links"). */
export const SignInLink = Schema.Struct({
  id: Schema.String.annotate({ description: "The id of the link, for the list and to withdraw it." }),
  link: Schema.String.annotate({ format: "uri", description: "Shown this once. Open it on the device." }),
  expiresAt: Time.annotate({ description: "Until then the link can be redeemed, once." }),
  keyId: Schema.String.annotate({
    description: "The id of the API key that the device gets when it redeems the link."
  }),
  name: Schema.String,
  scopes: Schema.Array(Scope)
}).annotate({ identifier: "SignInLink" })

/** A link that was not redeemed. */
export const OpenSignInLink = SignInLinkView.annotate({ identifier: "OpenSignInLink" })

export const SignInLinkWithdrawn = Schema.Struct({ id: Schema.String }).annotate({ identifier: "SignInLinkWithdrawn" })
