import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type { AdminAuth } from "../auth/admin-auth.ts"
import { endpoint } from "../server/endpoint.ts"
import type { Maintenance } from "../operations/maintenance.ts"
import { withMessage } from "../operations/operation-reply.ts"
import { type AdminRoute, adminRoute } from "./admin-route.ts"
import { evidenceRoutes } from "./evidence-routes.ts"
import { handledRoutes } from "./handled-routes.ts"

/** Rebuild and comparison answer when they are done. An interruption leaves the read models unchanged. */
const projectionRoutes = (route: AdminRoute, { compare, positions, rebuild }: Maintenance) =>
  Layer.mergeAll(
    route("listProjections", () => positions),
    route("rebuildProjection", ({ ids, params }) => rebuild(params.name, ids)),
    route(
      "compareProjection",
      ({ ids, params }) =>
        Effect.map(
          compare(params.name, ids),
          (data) => data.isSame ? data : withMessage("The read model differs", data)
        )
    )
  )

const document = endpoint(
  "GET",
  "/admin/v1/openapi.json",
  Effect.fnUntraced(function* ({ requestId }) {
    // Made on the first request: most processes never serve the document.
    const { adminOpenApi } = yield* Effect.promise(() => import("../../docs/documents.ts"))
    return HttpServerResponse.text(adminOpenApi(), {
      contentType: "application/json",
      headers: { "x-request-id": requestId, "x-content-type-options": "nosniff", "cache-control": "no-cache" }
    })
  })
)

/** The admin API. */
export const layerAdmin = (auth: AdminAuth, maintenance: Maintenance) => {
  const route = adminRoute(auth)
  return Layer.mergeAll(
    document,
    handledRoutes(route, auth),
    evidenceRoutes(route),
    projectionRoutes(route, maintenance)
  )
}
