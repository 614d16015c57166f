import type { HttpRouter } from "effect/http"
import { Effect } from "effect"
import { endpoint as route } from "../endpoint.ts"
import type { Reply } from "../reply.ts"
import type { Operation } from "../../../application/provisioning/operator-command.ts"
import type { Caller } from "../../../application/provisioning/callers.ts"
import type { Exchange } from "../endpoint.ts"
import { toApiError } from "../application-failures.ts"

/** What a branch does to itself, for the trail. */
export const operationOf = ({ branchId }: Caller, { requestId }: Exchange): Operation => ({
  actor: { kind: "branch", id: branchId },
  correlationId: requestId
})

export const endpoint = <R>(
  method: Parameters<typeof route>[0],
  path: HttpRouter.PathInput,
  handle: (exchange: Exchange) => Effect.Effect<Reply, Parameters<typeof toApiError>[0], R>,
  options?: { readonly bodyBytes?: number }
) => route(method, path, (exchange) => Effect.mapError(handle(exchange), toApiError), options)
