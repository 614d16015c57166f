import { Effect } from "effect"
import { type ApiError, apiError, type V2Code } from "../api/failures.ts"
import type { Operation } from "../api/operation.ts"
import type { AdminAuth, AdminRefused } from "../admin-auth.ts"
import type { AdminFailureWith } from "../application-failures.ts"
import { bearer } from "../authenticate.ts"
import type { Exchange } from "../endpoint.ts"
import { adminEndpoint, type AdminRequestOf } from "../operation-endpoint.ts"

const toApiError = ({ reason, retryAfterSeconds }: AdminRefused): ApiError =>
  reason === "wrong-token" ? apiError("INVALID_API_KEY", { message: "The admin token is invalid" }) : apiError(
    "RATE_LIMIT_EXCEEDED",
    { message: "Too many wrong admin tokens. Wait before you send another one", retryAfterSeconds }
  )

/** Accepts requests with `ADMIN_TOKEN`. */
const authorizeWith = ({ check }: AdminAuth) => (exchange: Exchange): Effect.Effect<void, ApiError> => {
  const { authorization } = exchange.headers
  if (authorization === undefined) return Effect.fail(apiError("MISSING_API_KEY"))
  return Effect.mapError(check("api", exchange, bearer(authorization)), toApiError)
}

export const adminRoute = (auth: AdminAuth) => {
  const authorize = authorizeWith(auth)
  return <const Op extends Operation<V2Code>, R>(
    operation: Op,
    handle: (request: AdminRequestOf<Op>) => Effect.Effect<unknown, AdminFailureWith<Op["codes"][number]>, R>
  ) => adminEndpoint(operation, authorize, handle)
}

/** Makes the route of an operation. The route requires the token. */
export type AdminRoute = ReturnType<typeof adminRoute>
