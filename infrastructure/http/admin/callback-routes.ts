import { Effect, Layer } from "effect"
import { redeliver } from "../../../application/callbacks/redeliver-callbacks.ts"
import { callbackList } from "../../../application/callbacks/list-callbacks.ts"
import { readBody } from "../body.ts"
import { pageOf, queryOf } from "../page.ts"
import { type AdminRoute, operationOf } from "./admin-route.ts"
import { decodeCallbackFilter, decodeRedelivery } from "../../input/operator-queries.ts"

/** Callbacks of all branches. */
export const callbackRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      "GET",
      "/callbacks",
      Effect.fnUntraced(function* (exchange) {
        const { host, state } = yield* decodeCallbackFilter(Object.fromEntries(queryOf(exchange)))
        return { message: "Callbacks", data: yield* callbackList({ state, host, ...(yield* pageOf(exchange)) }) }
      })
    ),
    route(
      "POST",
      "/callbacks/redeliver",
      Effect.fnUntraced(function* (exchange) {
        const what = yield* decodeRedelivery((yield* readBody(exchange)).fields)
        const redelivered = yield* redeliver(what, operationOf(exchange))
        return { message: "Callbacks that are sent again", data: { redelivered } }
      })
    )
  )
