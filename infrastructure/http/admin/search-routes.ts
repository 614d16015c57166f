import { Layer } from "effect"
import { listAllVerifications } from "../../../application/reading/list-all-verifications.ts"
import { find } from "../../../application/search/find.ts"
import { allVerificationsFilter } from "../../input/verification-queries.ts"
import { adminOperations as operations } from "../../api/operations/admin.ts"
import type { AdminRoute } from "./admin-route.ts"

/** What operators list and search over all branches. */
export const searchRoutes = (route: AdminRoute) =>
  Layer.merge(
    route(
      operations.listVerifications,
      ({ page, query }) => listAllVerifications({ ...allVerificationsFilter(query), ...page })
    ),
    route(operations.find, ({ query }) => find(query.q))
  )
