import { Effect } from "effect"
import { type ApiError, apiError } from "../../api/failures.ts"
import { type OperationName, type Operations, operations } from "../../operators/operations.ts"
import type { AdminAuth, AdminRefused } from "../auth/admin-auth.ts"
import type { AdminFailureWith } from "../operations/application-failures.ts"
import { bearer } from "../auth/authenticate.ts"
import type { Exchange } from "../server/endpoint.ts"
import { adminEndpoint, type AdminRequestOf } from "../operations/operation-endpoint.ts"
import type { AnswerOf } from "../operations/operation-reply.ts"

const toApiError = ({ reason, retryAfterSeconds }: AdminRefused): ApiError => {
  switch (reason) {
    case "wrong-token":
      return apiError("INVALID_API_KEY", { message: "The admin token is invalid" })
    case "paused":
      return apiError("RATE_LIMIT_EXCEEDED", {
        message: "Too many wrong admin tokens. Wait before you send another one",
        retryAfterSeconds
      })
    case "unavailable":
      return apiError("API_SERVER_ERROR", { retryAfterSeconds })
  }
}

/** The operator of a request. */
const authorizeWith = ({ check }: AdminAuth) =>
  Effect.fnUntraced(function* (exchange: Exchange) {
    const { authorization } = exchange.headers
    if (authorization === undefined) return yield* apiError("MISSING_API_KEY")
    return yield* Effect.mapError(check("api", exchange, bearer(authorization)), toApiError)
  })

export const adminRoute = (auth: AdminAuth) => {
  const authorize = authorizeWith(auth)
  // The name of an operation is its act: one without an entry in the table of permissions does not compile.
  return <Name extends OperationName, R>(
    name: Name,
    handle: (
      request: AdminRequestOf<Operations[Name]>
    ) => Effect.Effect<AnswerOf<Operations[Name]>, AdminFailureWith<Operations[Name]["codes"][number]>, R>
  ) => adminEndpoint(operations[name], name, { authorize, requireAct: auth.requireAct }, handle)
}

/** Makes the route of an operation. The route requires a token, and a role that may use the operation. */
export type AdminRoute = ReturnType<typeof adminRoute>
