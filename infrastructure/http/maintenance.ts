import { Clock, Effect, type Scope, Semaphore } from "effect"
import { modelName } from "../../projections/engine/model-name.ts"
import { formatPosition } from "../../domain/events/recorded-event.ts"
import { ReadModels, type ReadModelsError } from "../../ports/read-models.ts"
import { compare } from "../../projections/engine/compare.ts"
import { positionsOf } from "../../projections/engine/status.ts"
import type { Projection } from "../../projections/engine/projection.ts"
import { rebuild } from "../../projections/engine/rebuild.ts"
import { apiError } from "./api/failures.ts"

/** What the care for read models needs. */
interface Needs {
  /** Every read model that is kept. */
  readonly projections: ReadonlyArray<Projection>
  /** Empty read models of one's own, gone with the scope. */
  readonly scratchModels: Effect.Effect<ReadModels["Service"], ReadModelsError, Scope.Scope>
}

/** Lines of a difference that are returned of each kind, beside their number. */
const MAX_LINES = 100

const impossible = ({ message }: { readonly message: string }) =>
  Effect.fail(apiError("INTERNAL_SERVER_ERROR", { message }))

/**
 * The care for read models: how far they are, built anew, held against a replay. What is done returns when it is done,
 * which on a long log takes its time; interrupted, it leaves everything as it was.
 */
export const makeMaintenance = ({ projections, scratchModels }: Needs) => {
  // A comparison holds a whole model in memory, and both are hard work.
  const one = Semaphore.makeUnsafe(1)
  const atATime = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => one.withPermit(work)

  const named = (name: string | undefined) => {
    const found = projections.find((projection) => projection.name === name)
    return found === undefined
      ? Effect.fail(apiError("NOT_FOUND", { message: "There is no such projection" }))
      : Effect.succeed(found)
  }

  return {
    positions: positionsOf(projections),

    rebuild: Effect.fnUntraced(function* (name: string | undefined) {
      const projection = yield* named(name)
      const started = yield* Clock.currentTimeMillis
      const { model, position } = yield* rebuild(projection).pipe(Effect.catchTag("NotProjected", impossible), atATime)
      const tookMillis = (yield* Clock.currentTimeMillis) - started
      return { name: projection.name, model, position: formatPosition(position), tookMillis }
    }),

    compare: Effect.fnUntraced(function* (name: string | undefined) {
      const projection = yield* named(name)
      const { lines, missing, model, position, surplus } = yield* Effect.gen(function* () {
        const dump = yield* (yield* ReadModels).dump(modelName(projection))
        return yield* compare(projection, yield* scratchModels, dump)
      }).pipe(Effect.catchTag(["AheadOfLog", "NotProjected"], impossible), Effect.scoped, atATime)
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
