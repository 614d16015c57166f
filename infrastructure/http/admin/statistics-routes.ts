import { Clock, Effect } from "effect"
import { statistics } from "../../../application/reading/statistics.ts"
import { statisticsQueryOf } from "../../input/statistics-query.ts"
import { adminOperations as operations } from "../../api/operations/admin.ts"
import type { AdminRoute } from "./admin-route.ts"

/** What was verified, in numbers (docs/spec/http.md, "Statistics"). */
export const statisticsRoutes = (route: AdminRoute) =>
  route(
    operations.getStatistics,
    Effect.fnUntraced(function* ({ query }) {
      return yield* statistics(yield* statisticsQueryOf(query, yield* Clock.currentTimeMillis))
    })
  )
