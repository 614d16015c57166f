import { Clock, Effect, Layer, type Scope, Semaphore } from "effect"
import { modelName } from "../../../application/models/model-name.ts"
import { formatPosition } from "../../../application/ports/event-store.ts"
import { ReadModels, type ReadModelsError } from "../../../application/ports/read-models.ts"
import { compare } from "../../../projections/compare.ts"
import { positionsOf } from "../../../projections/positions.ts"
import type { Projection } from "../../../projections/projection.ts"
import { rebuild } from "../../../projections/rebuild.ts"
import { ApiError } from "../api-error.ts"
import type { Exchange } from "../endpoint.ts"
import type { AdminRoute } from "./admin-route.ts"

/** What the care for read models needs. */
export interface Maintenance {
  /** Every read model that is kept. */
  readonly projections: ReadonlyArray<Projection>
  /** Empty read models of one's own, gone with the scope. */
  readonly scratchModels: Effect.Effect<ReadModels["Service"], ReadModelsError, Scope.Scope>
}

/** Lines of a difference that are told of each kind; how many there are is told besides. */
const TOLD = 100

/**
 * Read models: how far they are, built anew, held against a replay. The answer comes when it is done, which on a long log
 * takes its time; it ends with the connection, and leaves everything as it was.
 */
export const projectionRoutes = (route: AdminRoute, { projections, scratchModels }: Maintenance) => {
  // A comparison holds a whole model in memory, and both are hard work.
  const one = Semaphore.makeUnsafe(1)
  const atATime = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => one.withPermit(work)

  const projectionOf = ({ params }: Exchange) => {
    const found = projections.find(({ name }) => name === params["name"])
    return found === undefined
      ? Effect.fail(new ApiError({ code: "NOT_FOUND", message: "There is no such projection" }))
      : Effect.succeed(found)
  }

  return Layer.mergeAll(
    route("GET", "/projections", Effect.fnUntraced(function*() {
      return { message: "Projections", data: yield* positionsOf(projections) }
    })),
    route("POST", "/projections/:name/rebuild", Effect.fnUntraced(function*(exchange) {
      const projection = yield* projectionOf(exchange)
      const started = yield* Clock.currentTimeMillis
      const { model, position } = yield* rebuild(projection).pipe(
        Effect.catchTag("NotProjected", ({ message }) =>
          Effect.fail(new ApiError({ code: "INTERNAL_SERVER_ERROR", message }))),
        atATime
      )
      const tookMillis = (yield* Clock.currentTimeMillis) - started
      const data = { name: projection.name, model, position: formatPosition(position), tookMillis }
      return { message: "Read model built anew", data }
    })),
    route("POST", "/projections/:name/compare", Effect.fnUntraced(function*(exchange) {
      const projection = yield* projectionOf(exchange)
      const compared = yield* Effect.gen(function*() {
        const dump = yield* (yield* ReadModels).dump(modelName(projection))
        return yield* compare(projection, yield* scratchModels, dump)
      }).pipe(
        Effect.catchTag(["AheadOfLog", "NotProjected"], ({ message }) =>
          Effect.fail(new ApiError({ code: "INTERNAL_SERVER_ERROR", message }))),
        Effect.scoped,
        atATime
      )
      const { lines, missing, model, position, surplus } = compared
      const data = {
        name: projection.name,
        model,
        position: formatPosition(position),
        lines,
        isSame: surplus.length + missing.length === 0,
        surplus: { count: surplus.length, lines: surplus.slice(0, TOLD) },
        missing: { count: missing.length, lines: missing.slice(0, TOLD) }
      }
      return { message: data.isSame ? "The read model is what a replay gives" : "The read model differs", data }
    }))
  )
}
