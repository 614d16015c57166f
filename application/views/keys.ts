import { Schema } from "effect"
import { Scope } from "../../domain/api-key.ts"
import { Time } from "./values.ts"

/** `replaced`: another key replaced it, and it works until it expires. */
export const KeyState = Schema.Literals(["active", "replaced", "expired", "revoked"])
export type KeyState = typeof KeyState.Type

/** An API key without the key itself, which only the answer that issues it has. */
export const KeyView = Schema.Struct({
  id: Schema.String.annotate({ description: "16 hexadecimal digits, which say nothing about the key itself." }),
  name: Schema.NullOr(Schema.String).annotate({
    description: "Null: the default key of the branch, or one that it replaced."
  }),
  scopes: Schema.Array(Scope),
  state: KeyState.annotate({
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
})
export type KeyView = typeof KeyView.Type

/** A link that can still be redeemed, as operators and the owner of the shop see it. */
export const SignInLinkView = Schema.Struct({
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
})
export type SignInLinkView = typeof SignInLinkView.Type
