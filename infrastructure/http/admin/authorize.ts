import { Effect, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { ApiError } from "../api-error.ts"
import { bearer } from "../authenticate.ts"
import type { Exchange } from "../endpoint.ts"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Lets only the holder of `ADMIN_TOKEN` through; how long the comparison takes tells nothing of the token. */
export const authorize = (token: Redacted.Redacted) => {
  const expected = digest(Redacted.value(token))
  return ({ headers }: Exchange): Effect.Effect<void, ApiError> => {
    const { authorization } = headers
    if (authorization === undefined) return Effect.fail(new ApiError({ code: "MISSING_API_KEY" }))
    return timingSafeEqual(digest(bearer(authorization)), expected)
      ? Effect.void
      : Effect.fail(new ApiError({ code: "INVALID_API_KEY", message: "The admin token is invalid" }))
  }
}
