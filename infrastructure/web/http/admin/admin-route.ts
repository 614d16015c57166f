import { Effect } from "effect"
import type { Act } from "../../../../domain/permissions.ts"
import { type ApiError, apiError, type V2Code } from "../../api/failures.ts"
import type { Operation } from "../../api/operation.ts"
import { adminOperations } from "../../api/operations/admin.ts"
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

const routeOf = ({ method, path }: Operation): string => `${method} ${path}`

/** The ids of the operations. An operation without an entry in the table of permissions does not compile. */
const actOf: ReadonlyMap<string, Act> = new Map(
  (Object.keys(adminOperations) as ReadonlyArray<keyof typeof adminOperations>).map((
    id
  ): readonly [string, Act] => [routeOf(adminOperations[id]), id])
)

/** The operator of a request. */
const authorizeWith = ({ check }: AdminAuth) =>
  Effect.fnUntraced(function* (exchange: Exchange) {
    const { authorization } = exchange.headers
    if (authorization === undefined) return yield* apiError("MISSING_API_KEY")
    return yield* Effect.mapError(check("api", exchange, bearer(authorization)), toApiError)
  })

export const adminRoute = (auth: AdminAuth) => {
  const authorize = authorizeWith(auth)
  return <const Op extends Operation<V2Code>, R>(
    operation: Op,
    handle: (request: AdminRequestOf<Op>) => Effect.Effect<AnswerOf<Op>, AdminFailureWith<Op["codes"][number]>, R>
  ) => {
    const act = actOf.get(routeOf(operation))
    if (act === undefined) throw new Error(`The operation ${operation.path} is not one of adminOperations`)
    return adminEndpoint(operation, act, { authorize, requireAct: auth.requireAct }, handle)
  }
}

/** Makes the route of an operation. The route requires a token, and a role that may use the operation. */
export type AdminRoute = ReturnType<typeof adminRoute>
