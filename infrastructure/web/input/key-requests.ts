import { ApiKeyRequest } from "../api/requests/keys.ts"
import { Scope } from "../../../domain/api-key.ts"
import { type ApiKeyRefused, MAX_KEYS } from "../../../domain/branch-keys.ts"
import { decodeFields, type Fields } from "./decode.ts"
import type { Issue } from "../api/failures.ts"

/** The scopes whose boxes a form has checked. */
export const scopesIn = (boxes: Fields): ReadonlyArray<Scope> =>
  Scope.literals.filter((scope) => boxes[scope] !== undefined)

/** The networks of a form's text: one per line, or separated by commas. */
export const networksIn = (entered: unknown): ReadonlyArray<string> =>
  typeof entered === "string" ? entered.split(/[\s,]+/u).filter((entry) => entry !== "") : []

export const decodeApiKey = decodeFields(ApiKeyRequest)

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
