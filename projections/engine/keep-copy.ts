import { Cause, Deferred, Effect, Metric, Option, Schedule } from "effect"
import { beginning, isBefore } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ModelBuilder } from "../../ports/model-builder.ts"
import { ModelCopy, type OpenCopy } from "../../ports/model-copy.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { TraceContinuation } from "../../ports/tracing.ts"
import { buildTogether } from "./build-together.ts"
import { awaitFront, inFront, type Turns } from "./turns.ts"
import type { Feed } from "./feed.ts"
import { noMetrics } from "./metrics.ts"
import { modelName } from "./model-name.ts"
import type { Projection } from "./projection.ts"
import { isUsable, restoreModel } from "./restore.ts"
import { isTransient } from "./retries.ts"
import { makeRunner } from "./runner.ts"

/**
 * Keeps a copy of the models, if this process has a place for it, until the scope closes. `restore` rebuilds a lost model
 * from the copy, without the log, and those that requests wait for before the others. It returns false when it did not.
 * Undefined without such a place.
 *
 * docs/beyond-one-machine.md, "How the read models return after Redis lost them", has all steps of that.
 */
export const keepCopy = Effect.fnUntraced(function* (
  projections: ReadonlyArray<Projection>,
  feed: Feed,
  turns: Turns
) {
  const openCopy = yield* ModelCopy
  const [store, models] = [yield* EventStore, yield* ReadModels]
  if (openCopy === undefined) return undefined
  const opened = yield* Deferred.make<OpenCopy>()
  yield* Metric.update(usable, 0)

  const project = (copy: OpenCopy) =>
    Effect.gen(function* () {
      // Nothing waits for the copy, so it catches up after the models.
      const copied = projections.map((projection): Projection => ({ ...projection, isFirst: false }))
      const build = yield* buildTogether(copied, awaitFront(turns))
      for (const projection of copied) {
        const { run } = yield* makeRunner({
          projection,
          feed,
          turns,
          metrics: noMetrics,
          retentionMillis: Infinity,
          lingerMillis,
          batchEvents,
          ...build === undefined ? {} : { buildAtOnce: build(projection) }
        })
        yield* Effect.forkScoped(run)
      }
      yield* Effect.forkScoped(report(copy.models))
    }).pipe(
      Effect.annotateLogs({ copy: "local" }),
      Effect.provideService(ReadModels, copy.models),
      Effect.provideService(ModelBuilder, copy.builder),
      // No request waits for the copy, and the models have their spans.
      Effect.provideService(TraceContinuation, undefined)
    )

  /** Says in the log and in the metrics from when on lost models are restored from the copy. */
  const report = Effect.fnUntraced(function* ({ checkpoint }: ReadModels["Service"]) {
    let wasUsable = false
    while (true) {
      const isUsableNow = yield* Effect.forEach(projections, (projection) => checkpoint(modelName(projection))).pipe(
        Effect.map((checkpoints) => {
          // Read after the checkpoints: under load the copy would be ahead of an earlier end of the log.
          const head = feed.head()
          return isBefore(beginning, head) && checkpoints.every((at) => isUsable(at, head))
        }),
        Effect.orElseSucceed(() => false)
      )
      if (isUsableNow && !wasUsable) {
        yield* Effect.logInfo("The copy of the read models is usable: models that Redis loses are restored from it")
      }
      wasUsable = isUsableNow
      yield* Metric.update(usable, isUsableNow ? 1 : 0)
      yield* Effect.sleep(reportMillis)
    }
  })

  yield* Effect.gen(function* () {
    // An empty log has no identity yet.
    yield* feed.awaitEventAfter(beginning)
    const first = yield* Effect.retry(
      Effect.flatMap(
        store.readAll({ after: beginning, limit: 1 }),
        ([event]) => event === undefined ? Effect.fail("the first event cannot be read yet") : Effect.succeed(event)
      ),
      every
    )
    const copy = yield* openCopy(first.id)
    yield* Deferred.succeed(opened, copy)
    yield* project(copy)
  }).pipe(
    Effect.catch((error) => Effect.logWarning("Without a copy, lost read models are rebuilt from the log", error)),
    Effect.forkScoped
  )

  const restore = Effect.fnUntraced(
    function* (model: string, awaitTurn: Effect.Effect<void>) {
      const copy = yield* Effect.timeoutOption(Deferred.await(opened), openMillis)
      if (Option.isNone(copy)) return false
      const isRestored = yield* Effect.retry(restoreModel(copy.value, model, awaitTurn), {
        schedule: every,
        while: isTransient
      })
      if (isRestored) yield* Effect.logInfo("The read model was empty, and is restored from the copy of this process")
      return isRestored
    },
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning("The read model is rebuilt from the log: its copy cannot be used", cause), false)
    )
  )

  return {
    restore: (projection: Projection) => {
      const model = modelName(projection)
      const isRestored = projection.isFirst === true
        ? inFront(turns, projection, restore(model, Effect.void))
        : restore(model, awaitFront(turns))
      return isRestored.pipe(
        Effect.annotateLogs({ model }),
        Effect.provideService(EventStore, store),
        Effect.provideService(ReadModels, models)
      )
    }
  }
})

const usable = Metric.gauge("sliptrail_projection_copy_usable", {
  description: "1 while read models that Redis loses are restored from the copy of this process, else 0"
})

const reportMillis = 1_000

/** Nothing waits for the copy: it is written in larger batches than the models. */
const lingerMillis = 1_000
const batchEvents = 2_000

/** A copy that takes longer to open is not waited for. */
const openMillis = 2_000

const every = Schedule.spaced("100 millis").pipe(Schedule.upTo({ times: 50 }))
