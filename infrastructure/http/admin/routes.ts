import { Layer, type Redacted } from "effect"
import type { Maintenance } from "../maintenance.ts"
import { accountRoutes } from "./account-routes.ts"
import { adminRoutes } from "./admin-route.ts"
import { bankAccountRoutes } from "./bank-account-routes.ts"
import { branchRoutes } from "./branch-routes.ts"
import { callbackRoutes } from "./callback-routes.ts"
import { forgetRoutes } from "./forget-routes.ts"
import { jobRoutes } from "./job-routes.ts"
import { projectionRoutes } from "./projection-routes.ts"
import { serviceRoutes } from "./service-routes.ts"
import { trailRoutes } from "./trail-routes.ts"

const routes = (token: Redacted.Redacted, maintenance: Maintenance) => {
  const route = adminRoutes(token)
  return Layer.mergeAll(
    accountRoutes(route),
    serviceRoutes(route),
    branchRoutes(route),
    bankAccountRoutes(route),
    jobRoutes(route),
    callbackRoutes(route),
    trailRoutes(route),
    forgetRoutes(route),
    projectionRoutes(route, maintenance)
  )
}

/** The admin API; without a token it is not there at all (docs/spec/operations.md, "Settings"). */
export const layerAdmin = (
  token: Redacted.Redacted | undefined,
  maintenance: Maintenance
): ReturnType<typeof routes> | typeof Layer.empty => token === undefined ? Layer.empty : routes(token, maintenance)
