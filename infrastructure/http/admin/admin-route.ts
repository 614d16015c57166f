import { Effect, Redacted } from "effect"
import { timingSafeEqual } from "node:crypto"
import { sha256 } from "../../sha256.ts"
import { type ApiError, apiError, type V2Code } from "../api/failures.ts"
import type { Operation } from "../api/operation.ts"
import type { AdminFailureWith } from "../application-failures.ts"
import { bearer } from "../authenticate.ts"
import type { Exchange } from "../endpoint.ts"
import { adminEndpoint, type AdminRequestOf } from "../operation-endpoint.ts"

/** Accepts requests with `ADMIN_TOKEN`. The comparison takes the same time for every wrong token. */
const authorizeWith = (token: Redacted.Redacted) => {
  const expected = sha256(Redacted.value(token))
  return ({ headers }: Exchange): Effect.Effect<void, ApiError> => {
    const { authorization } = headers
    if (authorization === undefined) return Effect.fail(apiError("MISSING_API_KEY"))
    return timingSafeEqual(sha256(bearer(authorization)), expected)
      ? Effect.void
      : Effect.fail(apiError("INVALID_API_KEY", { message: "The admin token is invalid" }))
  }
}

export const adminRoute = (token: Redacted.Redacted) => {
  const authorize = authorizeWith(token)
  return <const Op extends Operation<V2Code>, R>(
    operation: Op,
    handle: (request: AdminRequestOf<Op>) => Effect.Effect<unknown, AdminFailureWith<Op["codes"][number]>, R>
  ) => adminEndpoint(operation, authorize, handle)
}

/** Makes the route of an operation. The route requires the token. */
export type AdminRoute = ReturnType<typeof adminRoute>
