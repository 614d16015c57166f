import { Effect, type Redacted } from "effect"
import type { HttpRouter } from "effect/http"
import type { Operation } from "../../../application/provisioning/operator-command.ts"
import { endpoint, type Exchange } from "../endpoint.ts"
import type { Reply } from "../reply.ts"
import { authorize } from "./authorize.ts"
import { type Failure, toAdminError } from "../application-failures.ts"

/** The id in the path, in the case in which ids stand in the log. */
export const idOf = ({ params }: Exchange): string => (params["id"] ?? "").toLowerCase()

/** The operation that a request of the admin API is, for the trail. */
export const operationOf = ({ requestId }: Exchange): Operation => ({
  actor: { kind: "admin", id: "api" },
  correlationId: requestId
})

/** Makes the routes of the admin API, all of which ask for the token first. */
export const adminRoutes = (token: Redacted.Redacted) => {
  const allow = authorize(token)
  return <R>(
    method: "GET" | "POST" | "PATCH",
    path: HttpRouter.PathInput,
    handle: (exchange: Exchange) => Effect.Effect<Reply, Failure, R>
  ) =>
    endpoint(
      method,
      `/admin/v1${path}`,
      (exchange) => Effect.mapError(Effect.andThen(allow(exchange), handle(exchange)), toAdminError)
    )
}

export type AdminRoute = ReturnType<typeof adminRoutes>
