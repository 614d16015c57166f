import { Effect } from "effect"
import { listJobs } from "../../../projections/models/jobs.ts"
import { pageOf, queryOf } from "../page.ts"
import type { AdminRoute } from "./admin-route.ts"
import { decodeJobFilter } from "../../input/operator-queries.ts"

/** Jobs of all branches. */
export const jobRoutes = (route: AdminRoute) =>
  route(
    "GET",
    "/jobs",
    Effect.fnUntraced(function* (exchange) {
      const filter = yield* decodeJobFilter(Object.fromEntries(queryOf(exchange)))
      return { message: "Jobs", data: yield* listJobs({ ...filter, ...(yield* pageOf(exchange)) }) }
    })
  )
