import { Schema } from "effect"
import type { KeyView } from "../../../../application/provisioning/keys.ts"
import type { SignInLinkView } from "../../../../application/shop/sign-in-links.ts"
import { Scope } from "../../../../domain/api-key.ts"
import { NextCursor, Time } from "./values.ts"

const fields = {
  id: Schema.String.annotate({ description: "16 hexadecimal digits, which say nothing about the key itself." }),
  name: Schema.NullOr(Schema.String).annotate({
    description: "Null: the default key of the branch, or one that it replaced."
  }),
  scopes: Schema.Array(Scope),
  state: Schema.Literals(["active", "replaced", "expired", "revoked"]).annotate({
    description: "`replaced`: another key replaced it, and it works until it expires."
  }),
  expiresAt: Schema.NullOr(Time),
  networks: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Where it may call from. Null: wherever the branch may."
  }),
  lastUsedOn: Schema.NullOr(Schema.String.annotate({ format: "date" })).annotate({
    description: "The last day in UTC on which it was used; null before the first."
  }),
  createdAt: Time
} satisfies Record<keyof KeyView, Schema.Top>

const apiKey = Schema.String.annotate({ description: "Shown this once." })

/** An API key of a branch (docs/spec/http.md, "API keys"). */
export const ApiKey = Schema.Struct(fields).annotate({ identifier: "ApiKey" })
export const ApiKeys = Schema.Struct({ items: Schema.Array(ApiKey), nextCursor: NextCursor }).annotate({
  identifier: "ApiKeys"
})
export const NewApiKey = Schema.Struct({ ...fields, apiKey }).annotate({ identifier: "NewApiKey" })
export const RotatedApiKey = Schema.Struct({
  ...fields,
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
export const OpenSignInLink = Schema.Struct(
  {
    id: Schema.String,
    name: Schema.String,
    scopes: Schema.Array(Scope),
    networks: Schema.NullOr(Schema.Array(Schema.String)).annotate({
      description: "Where the device may call from. Null: wherever the branch may."
    }),
    createdAt: Time,
    expiresAt: Time.annotate({ description: "Until then the link can be redeemed, once." }),
    keyId: Schema.NullOr(Schema.String).annotate({
      description: "The id of the API key that the device gets. Null for links of earlier versions."
    }),
    operator: Schema.NullOr(Schema.String).annotate({
      description: "The operator who made it. Null: a key of the branch."
    }),
    madeByKey: Schema.NullOr(Schema.String).annotate({
      description: "The id of the API key that made it on the shop's page. Null: an operator."
    })
  } satisfies Record<keyof SignInLinkView, Schema.Top>
).annotate({ identifier: "OpenSignInLink" })

export const SignInLinkWithdrawn = Schema.Struct({ id: Schema.String }).annotate({ identifier: "SignInLinkWithdrawn" })
