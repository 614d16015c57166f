import { Effect, Schema } from "effect"
import { JobStatus } from "../../../projections/models/jobs-rows.ts"
import { jobList } from "../../../application/jobs/list-jobs.ts"
import type { Fields } from "../body.ts"
import { decodeFields } from "../decode-fields.ts"
import { pageOf, queryOf } from "../page.ts"
import type { AdminRoute } from "./admin-route.ts"
import { Id, Moment } from "./fields.ts"

const decode = decodeFields(Schema.Struct({
  state: Schema.optionalKey(JobStatus),
  branch: Schema.optionalKey(Id),
  since: Schema.optionalKey(Moment)
}))

/** Which jobs to list, as the query of a request or the flags of a command say it. */
export const decodeJobFilter = (fields: Fields) =>
  Effect.map(
    decode(fields),
    ({ branch: branchId, since, state }) => ({
      state,
      branchId,
      since: since === undefined ? undefined : Date.parse(since)
    })
  )

/** Jobs of all branches. */
export const jobRoutes = (route: AdminRoute) =>
  route(
    "GET",
    "/jobs",
    Effect.fnUntraced(function* (exchange) {
      const filter = yield* decodeJobFilter(Object.fromEntries(queryOf(exchange)))
      return { message: "Jobs", data: yield* jobList({ ...filter, ...(yield* pageOf(exchange)) }) }
    })
  )
