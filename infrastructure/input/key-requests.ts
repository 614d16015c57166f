import { Effect, Schema, SchemaTransformation } from "effect"
import { Scope } from "../../domain/api-key.ts"
import { type ApiKeyRefused, MAX_KEYS } from "../../domain/branch-keys.ts"
import { canonicalNetwork } from "../ip-address.ts"
import { decodeFields, type Fields, invalid, type InvalidInput, isArrayUpTo, type Issue, text } from "./decode.ts"
import { IsoTime } from "./operator-requests.ts"

const OneScope = Scope.annotate({ message: `Expected one of ${Scope.literals.join(", ")}` })

const Network = Schema.String.check(
  Schema.makeFilter((value: string) =>
    canonicalNetwork(value) !== undefined || "Expected an IPv4 or IPv6 address, or a CIDR range"
  )
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (value) => canonicalNetwork(value) ?? value, encode: (value) => value })
  )
)

/** The body of a request for a new API key (docs/spec/http.md, "API keys"). */
export const ApiKeyRequest = Schema.Struct({
  name: text(100).annotate({ description: "1 to 100 characters, for people." }),
  scopes: Schema.Array(OneScope).check(isArrayUpTo(Scope.literals.length)).annotate({
    description: "What the key may do: `verify` slips, `read` what was verified, `configure` the branch."
  }),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(IsoTime).annotate({
      description: "When the key ends: ISO 8601 with an offset; null is never. Without it that of the key that asks."
    })
  ),
  networks: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Network).check(isArrayUpTo(100))).annotate({
      description:
        "Where the key may call from: IPv4 or IPv6 addresses and CIDR ranges. Null: wherever the branch may. "
        + "Without it those of the key that asks."
    })
  )
}).annotate({ identifier: "ApiKeyRequest" })

/** The body of the rotation of one API key. */
export const ApiKeyRotation = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })).annotate({
      description: "How long the replaced key works, in seconds.",
      default: 86_400
    })
  )
}).annotate({ identifier: "ApiKeyRotation" })

/** The scopes whose boxes a form has checked. */
export const scopesIn = (boxes: Fields): ReadonlyArray<Scope> =>
  Scope.literals.filter((scope) => boxes[scope] !== undefined)

/** The networks of a form's text: one per line, or separated by commas. */
export const networksIn = (entered: unknown): ReadonlyArray<string> =>
  typeof entered === "string" ? entered.split(/[\s,]+/u).filter((entry) => entry !== "") : []

export const decodeApiKey = decodeFields(ApiKeyRequest)
export const decodeApiKeyRotation = decodeFields(ApiKeyRotation)

/** The fault of a request for a key that the branch refuses. */
export const keyFaults: Readonly<Record<Exclude<ApiKeyRefused["reason"], "asking-ended">, Issue>> = {
  "too-many": {
    path: "",
    message: `The branch has ${MAX_KEYS} API keys that work: revoke one, or rotate one with overlapSeconds 0`
  },
  "past": { path: "expiresAt", message: "Expected a time in the future" },
  "scopes": { path: "scopes", message: "A key issues only scopes that it has itself" },
  "expiresAt": { path: "expiresAt", message: "A key issues no key that ends later than itself" },
  "networks": { path: "networks", message: "A key issues no key for networks beyond its own" },
  "replaced": { path: "", message: "The key was replaced before: rotate the key that replaced it" },
  "ended": { path: "", message: "The key was revoked or has expired: create another one" }
}

/**
 * Fails a form whose key the branch refuses, with the fault of a field. `path` is given where the form lacks that field.
 * When the key that asks has ended, no field is at fault.
 */
export const rejectKeyForm = (
  error: ApiKeyRefused,
  path?: string
): Effect.Effect<never, ApiKeyRefused | InvalidInput> => {
  if (error.reason === "asking-ended") return Effect.fail(error)
  const fault = keyFaults[error.reason]
  return Effect.fail(invalid({ ...fault, path: path ?? fault.path }))
}
