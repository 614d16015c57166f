import { Schema } from "effect"
import { Scope } from "../../../../domain/api-key.ts"
import { DEFAULT_LINK_HOURS } from "../../../../domain/sign-in-link.ts"
import { canonicalNetwork } from "../../../platform/ip-address.ts"
import { expected, field, isArrayUpTo, IsoTime, literals, normalized, overlap, text } from "../values.ts"

const isNetwork = expected((value) => canonicalNetwork(value) !== undefined, "an IPv4 or IPv6 address, or a CIDR range")
const Network = normalized(Schema.String.check(isNetwork), (value) => canonicalNetwork(value) ?? value)

/** The body of a request for a new API key (docs/spec/http.md, "API keys"). */
export const ApiKeyRequest = Schema.Struct({
  name: text(100).annotate({ description: "1 to 100 characters, for people." }),
  scopes: Schema.Array(literals(Scope.literals)).check(isArrayUpTo(Scope.literals.length)).annotate({
    description: "What the key may do: `verify` slips, `read` what was verified, `configure` the branch."
  }),
  expiresAt: field(
    Schema.NullOr(IsoTime),
    "When the key ends: ISO 8601 with an offset; null is never. Without it that of the key that asks."
  ),
  networks: field(
    Schema.NullOr(Schema.Array(Network).check(isArrayUpTo(100))),
    "Where the key may call from: IPv4 or IPv6 addresses and CIDR ranges. Null: wherever the branch may. "
      + "Without it those of the key that asks."
  )
}).annotate({ identifier: "ApiKeyRequest" })

/** The body of the rotation of one API key. */
export const ApiKeyRotation = Schema.Struct({
  overlapSeconds: overlap("How long the replaced key works, in seconds.")
}).annotate({ identifier: "ApiKeyRotation" })

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
