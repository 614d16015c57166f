import { Clock, Effect, type Scope, Semaphore } from "effect"
import { recordAct } from "../../../../application/operators/record-act.ts"
import type { RequestIds } from "../../../../application/events/handle-command.ts"
import { modelName } from "../../../../projections/engine/model-name.ts"
import { formatPosition } from "../../../../domain/events/recorded-event.ts"
import { ReadModels, type ReadModelsError } from "../../../../ports/read-models.ts"
import { compare } from "../../../../projections/engine/compare.ts"
import { positionsOf } from "../../../../projections/engine/status.ts"
import type { Projection } from "../../../../projections/engine/projection.ts"
import { rebuild } from "../../../../projections/engine/rebuild.ts"
import { apiError } from "../../api/failures.ts"

interface MaintenanceOptions {
  /** The projections of all read models. */
  readonly projections: ReadonlyArray<Projection>
  readonly retentionMillis: number
  /** Makes empty private read models, which are deleted when the scope closes. */
  readonly scratchModels: Effect.Effect<ReadModels["Service"], ReadModelsError, Scope.Scope>
}

/** Lines that a comparison returns of each kind of difference. The count includes all lines. */
const MAX_LINES = 100

const internalError = ({ message }: { readonly message: string }) =>
  Effect.fail(apiError("INTERNAL_SERVER_ERROR", { message }))

/**
 * Maintenance of read models: their positions, rebuild, and comparison with a replay. Rebuild and comparison return
 * when they have finished, which takes long on a long log. The log names their operator before they begin. An interruption
 * leaves the read models unchanged.
 */
export const makeMaintenance = ({ projections, retentionMillis, scratchModels }: MaintenanceOptions) => {
  // Both use much time, and a comparison holds a whole read model in memory.
  const semaphore = Semaphore.makeUnsafe(1)
  const oneAtATime = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => semaphore.withPermit(work)

  const projectionOf = (name: string | undefined) => {
    const projection = projections.find((candidate) => candidate.name === name)
    return projection === undefined
      ? Effect.fail(apiError("NOT_FOUND", { message: "There is no such projection" }))
      : Effect.succeed(projection)
  }

  return {
    positions: positionsOf(projections),

    rebuild: Effect.fnUntraced(function* (name: string | undefined, operation: RequestIds) {
      const projection = yield* projectionOf(name)
      yield* recordAct({ _tag: "ProjectionRebuildRequested", projection: projection.name }, operation)
      const started = yield* Clock.currentTimeMillis
      const { model, position } = yield* rebuild(projection).pipe(
        Effect.catchTag("PoisonEvent", internalError),
        oneAtATime
      )
      const tookMillis = (yield* Clock.currentTimeMillis) - started
      return { name: projection.name, model, position: formatPosition(position), tookMillis }
    }),

    compare: Effect.fnUntraced(function* (name: string | undefined, operation: RequestIds) {
      const projection = yield* projectionOf(name)
      yield* recordAct({ _tag: "ProjectionComparisonRequested", projection: projection.name }, operation)
      const { lines, missing, model, position, surplus } = yield* Effect.gen(function* () {
        const dump = yield* (yield* ReadModels).dump(modelName(projection))
        return yield* compare(projection, yield* scratchModels, dump, retentionMillis)
      }).pipe(Effect.catchTag(["AheadOfLog", "PoisonEvent"], internalError), Effect.scoped, oneAtATime)
      return {
        name: projection.name,
        model,
        position: formatPosition(position),
        lines,
        isSame: surplus.length + missing.length === 0,
        surplus: { count: surplus.length, lines: surplus.slice(0, MAX_LINES) },
        missing: { count: missing.length, lines: missing.slice(0, MAX_LINES) }
      }
    })
  }
}

export type Maintenance = ReturnType<typeof makeMaintenance>
