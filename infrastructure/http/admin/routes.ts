import { Layer, type Redacted } from "effect"
import { accountRoutes } from "./account-routes.ts"
import { adminRoutes } from "./admin-route.ts"
import { branchRoutes } from "./branch-routes.ts"
import { serviceRoutes } from "./service-routes.ts"

const routes = (token: Redacted.Redacted) => {
  const route = adminRoutes(token)
  return Layer.mergeAll(accountRoutes(route), serviceRoutes(route), branchRoutes(route))
}

/** The admin API; without a token it is not there at all (contract: operations, `ADMIN_TOKEN`). */
export const layerAdmin = (token: Redacted.Redacted | undefined): ReturnType<typeof routes> | typeof Layer.empty =>
  token === undefined ? Layer.empty : routes(token)
