import { Effect, Layer } from "effect"
import type { Maintenance } from "../maintenance.ts"
import type { AdminRoute } from "./admin-route.ts"

/** Read models. The answer comes when it is done; it ends with the connection, and leaves everything as it was. */
export const projectionRoutes = (route: AdminRoute, { compare, positions, rebuild }: Maintenance) =>
  Layer.mergeAll(
    route(
      "GET",
      "/projections",
      Effect.fnUntraced(function* () {
        return { message: "Projections", data: yield* positions }
      })
    ),
    route(
      "POST",
      "/projections/:name/rebuild",
      Effect.fnUntraced(function* ({ params }) {
        return { message: "Read model built anew", data: yield* rebuild(params["name"]) }
      })
    ),
    route(
      "POST",
      "/projections/:name/compare",
      Effect.fnUntraced(function* ({ params }) {
        const data = yield* compare(params["name"])
        return { message: data.isSame ? "The read model is what a replay gives" : "The read model differs", data }
      })
    )
  )
