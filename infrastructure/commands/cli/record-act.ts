import { Effect } from "effect"
import { recordAct } from "../../../application/operators/record-act.ts"
import type { OperatorAct } from "../../../domain/operator-act.ts"
import { asOperation } from "./operation.ts"
import { note } from "./output.ts"
import type { RequestParts } from "./request.ts"

/** Loaded when a command works on the data folder: a command that calls a service over HTTP does not. */
const stores = Effect.promise(() => import("./log-to-append.ts"))

/**
 * Records in the log of the data folder what a command does that only reads it. When the command cannot write the log, it
 * says so and goes on: a person who can read the folder can read it with any tool. `what` is such as "this comparison".
 */
export const recordReading = Effect.fnUntraced(function* (act: OperatorAct, what: string, request: RequestParts) {
  const { isReadOnly, layerLogToAppend, unrecorded } = yield* stores
  yield* asOperation((operation) => recordAct(act, operation)).pipe(
    Effect.provide(layerLogToAppend),
    Effect.catchIf(
      isReadOnly,
      (error) =>
        Effect.gen(function* () {
          const { routeOf } = yield* Effect.promise(() => import("./remote-request.ts"))
          yield* note(unrecorded(what, routeOf(request), error))
        })
    )
  )
})
