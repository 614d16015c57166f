import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Leases } from "../../ports/leases.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { type Feed, makeFeed } from "./feed.ts"
import { makeMetrics } from "./metrics.ts"
import type { Projection } from "./projection.ts"
import { replayPage } from "./rebuild.ts"
import { makeRunner, type Progress, type Runner } from "./runner.ts"
import type { ProjectionStatus } from "./status.ts"

/** Keeps the read models up to date with the log. */
export class Projector extends Context.Service<Projector, {
  /** Of every projection, asked for now: also of those that another process runs. */
  readonly status: Effect.Effect<ReadonlyArray<ProjectionStatus>>
}>()("sliptrail/projections/Projector") {}

/**
 * Runs projections for the life of the layer, each on its own and under a lease of its own: one that is behind or fails
 * does not hold up the others, and several processes share them out. Events are shared between those that run here
 * where they stand at the same place.
 *
 * A checkpoint moves together with the writes in front of it, so that a crash costs a repetition and never an event.
 * The lease only spares double work. Any number of projectors may run on the same read models: the one that comes
 * second goes on from where the first is.
 *
 * What follows the log for another purpose may read it `alongside`.
 */
export const layerProjector = <R = never>(
  projections: ReadonlyArray<Projection>,
  alongside?: (feed: Feed) => Effect.Effect<void, never, R>
): Layer.Layer<Projector, never, EventStore | ReadModels | Leases | R> =>
  Layer.effect(
    Projector,
    Effect.gen(function* () {
      const store = yield* EventStore
      const models = yield* ReadModels
      const leases = yield* Leases
      const feed = yield* makeFeed
      const running = yield* Effect.forEach(
        projections,
        Effect.fnUntraced(function* (projection) {
          const metrics = makeMetrics(projection.name)
          yield* metrics.begin
          const runner = yield* makeRunner(projection, feed, metrics)
          yield* Effect.forkScoped(leases.whileHolding(runner.model, runner.run))
          return { metrics, projection, runner }
        })
      )
      yield* followOnce(feed).pipe(
        Effect.retry(backoff),
        Effect.forever,
        Effect.forkScoped
      )

      const statusOf = Effect.fnUntraced(function* (runner: Runner, head: Position) {
        const { checkpoint, error, state } = yield* progressOf(runner, models)
        const lag = Math.max(0, Number(head.commit - checkpoint.commit))
        const why = error === undefined ? {} : { error }
        return {
          name: runner.name,
          model: runner.model,
          checkpoint,
          head,
          lag,
          state,
          ...why
        } satisfies ProjectionStatus
      })
      /** The last events at once: by itself a runner waits a moment for more. */
      const settle = ({ projection, runner: { model, progress } }: typeof running[number]) =>
        Effect.gen(function* () {
          if (progress().state !== "live") return
          let at = yield* models.checkpoint(model)
          while (true) {
            const next = yield* replayPage(projection, { models, model }, at)
            if (next === undefined || !isBefore(at, next)) return
            at = next
          }
        }).pipe(
          Effect.provideService(EventStore, store),
          Effect.interruptible,
          Effect.timeout(settleMillis),
          Effect.ignore
        )

      const headNow = Effect.orElseSucceed(store.head, feed.head)

      yield* Effect.gen(function* () {
        const head = yield* headNow
        for (const { metrics, runner } of running) {
          const { checkpoint, lag, state } = yield* statusOf(runner, head)
          yield* metrics.report(state, lag, lag === 0 ? 0 : yield* secondsBehind(store, checkpoint))
        }
      }).pipe(Effect.andThen(Effect.sleep(reportMillis)), Effect.forever, Effect.forkScoped)

      if (alongside !== undefined) {
        // Undone in reverse: what that appends at its end comes into the read models, so that the next start is ready.
        yield* Effect.addFinalizer(() => Effect.forEach(running, settle, { concurrency: "unbounded" }))
        yield* Effect.forkScoped(alongside(feed))
      }

      return Projector.of({
        status: Effect.flatMap(headNow, (head) => Effect.forEach(running, ({ runner }) => statusOf(runner, head)))
      })
    })
  )

/** What does not run here may have been moved on by another process. */
const progressOf = (runner: Runner, models: ReadModels["Service"]): Effect.Effect<Progress> => {
  const known = runner.progress()
  if (known.state !== "standby" && known.state !== "failed") return Effect.succeed(known)
  return models.checkpoint(runner.model).pipe(
    Effect.map((checkpoint) => ({ ...known, checkpoint })),
    Effect.catch(({ _tag, operation, reason }) =>
      Effect.succeed({ ...known, error: known.error ?? `${_tag}: ${operation} ${reason}` })
    )
  )
}

/** For how long the first event behind a checkpoint has been in the log; 0 when there is none, or the log is away. */
const secondsBehind = Effect.fnUntraced(function* (store: EventStore["Service"], checkpoint: Position) {
  const [next] = yield* Effect.orElseSucceed(store.readAll({ after: checkpoint, limit: 1 }), () => [])
  return next === undefined ? 0 : Math.max(0, (yield* Clock.currentTimeMillis) - next.recordedAt) / 1_000
})

/** Read models have this long at the end to take the last events; otherwise they do at the next start. */
const settleMillis = 200

/** Between two looks for the gauges: scrapers come less often. */
const reportMillis = 5_000

/** Ends well when it got on at all before it lost the log, so that the patience of the next try begins anew. */
const followOnce = (feed: Feed) =>
  Effect.suspend(() => {
    const from = feed.head()
    return Effect.catch(feed.follow, (error) =>
      Effect.andThen(
        Effect.logWarning("The projector lost the log and tries again", error),
        feed.head() === from ? Effect.fail(error) : Effect.void
      ))
  })

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")]).pipe(Schedule.jittered)
