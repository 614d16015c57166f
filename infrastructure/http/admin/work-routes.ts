import { Effect, Layer } from "effect"
import { listCallbacks } from "../../../application/callbacks/list-callbacks.ts"
import { redeliver } from "../../../application/callbacks/redeliver-callbacks.ts"
import type { Order } from "../../../domain/order.ts"
import { listJobs } from "../../../projections/models/jobs.ts"
import { jobFilter, redeliveryOf } from "../../input/operator-queries.ts"
import { adminOperations as operations } from "../../api/operations/admin.ts"
import type { AdminRoute } from "./admin-route.ts"

interface Times {
  readonly from?: number
  readonly to?: number
  readonly order?: Order
}

const timesOf = ({ from, order, to }: Times) => ({ from, to, order })

/** Jobs and callbacks of all branches. */
export const workRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(operations.listJobs, ({ page, query }) => listJobs({ ...jobFilter(query), ...page })),
    route(
      operations.listCallbacks,
      ({ page, query }) => listCallbacks({ state: query.state, host: query.host, ...timesOf(query), ...page })
    ),
    route(
      operations.redeliverCallbacks,
      Effect.fnUntraced(function* ({ body, operation }) {
        return { redelivered: yield* redeliver(yield* redeliveryOf(body), operation) }
      })
    )
  )
