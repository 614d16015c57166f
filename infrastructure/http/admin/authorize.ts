import { Effect, Redacted } from "effect"
import { timingSafeEqual } from "node:crypto"
import { sha256 } from "../../sha256.ts"
import { bearer } from "../authenticate.ts"
import type { Exchange } from "../endpoint.ts"
import { ApiError } from "../api/failures.ts"

/** Lets only the holder of `ADMIN_TOKEN` through; how long the comparison takes tells nothing of the token. */
export const authorize = (token: Redacted.Redacted) => {
  const expected = sha256(Redacted.value(token))
  return ({ headers }: Exchange): Effect.Effect<void, ApiError> => {
    const { authorization } = headers
    if (authorization === undefined) return Effect.fail(new ApiError({ code: "MISSING_API_KEY" }))
    return timingSafeEqual(sha256(bearer(authorization)), expected)
      ? Effect.void
      : Effect.fail(new ApiError({ code: "INVALID_API_KEY", message: "The admin token is invalid" }))
  }
}
