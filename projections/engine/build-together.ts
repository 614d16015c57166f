import { Cause, Deferred, Effect } from "effect"
import { beginning, isBefore } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ModelBuilder, type ModelGroups } from "../../ports/model-builder.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { modelName, shadowName } from "./model-name.ts"
import type { Projection } from "./projection.ts"

/**
 * Builds empty models in one pass over the log; undefined in a process without a builder. The returned function builds a
 * model together with all others that are asked for at the same time. It returns false when the model must be built batch
 * by batch, and at once when the log is short. Only the model of a projection that runs here may be asked for: another
 * process builds or restores the others.
 *
 * A build begins after `awaitTurn`. It runs until the scope closes, also when nothing waits for it any more.
 */
export const buildTogether = Effect.fnUntraced(function* (
  projections: ReadonlyArray<Projection>,
  awaitTurn: Effect.Effect<void> = Effect.void
) {
  const builder = yield* ModelBuilder
  if (builder === undefined) return undefined
  const [store, models, scope] = [yield* EventStore, yield* ReadModels, yield* Effect.scope]
  /** The models that wait for the next build. */
  let asked = new Map<Projection, Deferred.Deferred<boolean>>()
  let isRunning = false

  const isEmpty = (model: string) =>
    Effect.map(models.checkpoint(model), (checkpoint) => !isBefore(beginning, checkpoint))

  /** Builds the empty ones of these models. Each runner goes on as soon as its model is live. */
  const build = Effect.fnUntraced(function* (waiting: typeof asked) {
    const wanted = yield* Effect.filter(Array.from(waiting.keys()), (projection) => isEmpty(modelName(projection)))
    if (wanted.length === 0) return
    const runners = new Map(Array.from(waiting, ([projection, isBuilt]) => [modelName(projection), isBuilt]))
    const built: Array<string> = []
    const onBuilt = Effect.fnUntraced(function* (model: string) {
      built.push(model)
      const runner = runners.get(model)
      if ((yield* models.promote(model)) && runner !== undefined) yield* Deferred.succeed(runner, true)
    })
    yield* builder.build(inGroups(wanted), yield* store.head, onBuilt)
    if (built.length > 0) yield* Effect.logInfo(`Read models were built from the log: ${built.join(", ")}`)
  })

  /** An empty model that requests wait for, and that is not asked for yet. */
  const isFirstMissing = Effect.suspend(() =>
    Effect.map(
      Effect.filter(
        projections.filter((projection) => projection.isFirst === true && !asked.has(projection)),
        (projection) => isEmpty(modelName(projection))
      ),
      (missing) => missing.length > 0
    )
  )

  /**
   * Waits until no further model is asked for: the runners of all models find them empty at about the same time. Those that
   * requests wait for must not come too late, but another process may project them.
   */
  const gather = Effect.gen(function* () {
    for (let waits = 0; waits < MOST_WAITS; waits++) {
      const before = asked.size
      yield* Effect.sleep(gatherMillis)
      if (asked.size === before && !(yield* Effect.orElseSucceed(isFirstMissing, () => false))) return
    }
  })

  const runOnce = Effect.gen(function* () {
    yield* gather
    yield* awaitTurn
    const waiting = asked
    asked = new Map()
    yield* build(waiting).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.logWarning("Read models are built batch by batch: the build failed", cause).pipe(
            // What it has begun takes space.
            Effect.andThen(Effect.forEach(waiting.keys(), (projection) =>
              Effect.ignore(models.clear(shadowName(modelName(projection)), beginning))))
          )
      )
    )
    // Does not change the answer of a runner whose model is live.
    for (const isBuilt of waiting.values()) yield* Deferred.succeed(isBuilt, false)
  })

  const run = Effect.repeat(runOnce, {
    while: () => {
      // In one step: a model that is asked for later starts the next run.
      isRunning = asked.size > 0
      return isRunning
    }
  })

  const isLongEnough = Effect.orElseSucceed(Effect.map(store.head, builder.isLongEnough), () => false)

  return (projection: Projection): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      if (!(yield* isLongEnough)) return false
      const isBuilt = asked.get(projection) ?? Deferred.makeUnsafe<boolean>()
      asked.set(projection, isBuilt)
      if (!isRunning) {
        isRunning = true
        yield* Effect.forkIn(run, scope)
      }
      return yield* Deferred.await(isBuilt)
    })
})

const gatherMillis = 250
const MOST_WAITS = 12

/** The models that requests wait for come first. */
const inGroups = (projections: ReadonlyArray<Projection>): ModelGroups =>
  [true, false]
    .map((isFirst) => projections.filter((each) => (each.isFirst === true) === isFirst).map(modelName))
    .filter((models) => models.length > 0)
