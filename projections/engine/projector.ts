import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Leases } from "../../ports/leases.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { buildTogether } from "./build-together.ts"
import { inFront, makeTurns } from "./turns.ts"
import { type Feed, makeFeed } from "./feed.ts"
import { makeMetrics } from "./metrics.ts"
import type { Projection } from "./projection.ts"
import { keepCopy } from "./keep-copy.ts"
import { replayPage } from "./rebuild.ts"
import { makeRunner, type Progress, type Runner } from "./runner.ts"
import type { ProjectionStatus } from "./status.ts"

/** Keeps the read models up to date with the log. */
export class Projector extends Context.Service<Projector, {
  /** The current status of every projection, including those that another process runs. */
  readonly status: Effect.Effect<ReadonlyArray<ProjectionStatus>>
}>()("sliptrail/projections/Projector") {}

export interface ProjectorOptions<R> {
  /** Follows the log on the same feed, for another purpose. */
  readonly follower?: (feed: Feed) => Effect.Effect<void, never, R>
  /** After this time the members of `expiring` sets leave their models; never by default. */
  readonly retentionMillis?: number
}

/**
 * Runs projections for the life of the layer. Each one runs independently under its own lease: a projection that is
 * behind or fails does not delay the others, and several processes share the projections. Projections of this process
 * at the same position share the events that are read.
 *
 * A checkpoint is written together with the writes before it, so a crash repeats events but never loses one. The lease
 * only saves double work. Any number of projectors may write the same read model: the slower one resumes at the
 * checkpoint of the faster one.
 */
export const layerProjector = <R = never>(
  projections: ReadonlyArray<Projection>,
  { follower, retentionMillis = Infinity }: ProjectorOptions<R> = {}
): Layer.Layer<Projector, never, EventStore | ReadModels | Leases | R> =>
  Layer.effect(
    Projector,
    Effect.gen(function* () {
      const store = yield* EventStore
      const models = yield* ReadModels
      const leases = yield* Leases
      const feed = yield* makeFeed
      const turns = makeTurns(feed.dropOlder)
      const copy = yield* keepCopy(projections, feed, turns)
      const build = yield* buildTogether(projections)
      /** From the copy, or else from the log. The copy does not catch up while this process builds from the log. */
      const buildAtOnce = Effect.fnUntraced(function* (projection: Projection) {
        if (copy !== undefined && (yield* copy.restore(projection))) return true
        return build !== undefined && (yield* inFront(turns, projection, build(projection)))
      })
      const running = yield* Effect.forEach(
        projections,
        Effect.fnUntraced(function* (projection) {
          const metrics = makeMetrics(projection.name)
          yield* metrics.begin
          const runner = yield* makeRunner({
            projection,
            feed,
            turns,
            metrics,
            retentionMillis,
            ...copy === undefined && build === undefined ? {} : { buildAtOnce: buildAtOnce(projection) }
          })
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
        const failure = error === undefined ? {} : { error }
        return {
          name: runner.name,
          model: runner.model,
          checkpoint,
          head,
          lag,
          state,
          ...failure
        } satisfies ProjectionStatus
      })
      /** Projects the last events at once. A runner would first wait a moment for more events. */
      const projectRemaining = ({ projection, runner: { model, progress } }: typeof running[number]) =>
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
          Effect.timeout(remainingLimitMillis),
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

      if (follower !== undefined) {
        // Finalizers run in reverse order. The follower ends first, so that the events that it appends at its end are
        // projected before the process stops, and the next start is ready sooner.
        yield* Effect.addFinalizer(() => Effect.forEach(running, projectRemaining, { concurrency: "unbounded" }))
        yield* Effect.forkScoped(follower(feed))
      }

      return Projector.of({
        status: Effect.flatMap(headNow, (head) => Effect.forEach(running, ({ runner }) => statusOf(runner, head)))
      })
    })
  )

/** Reads the checkpoint of a projection that does not run here: another process may have moved it. */
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

/** Age in seconds of the first event after a checkpoint; 0 when there is none, or the log is unavailable. */
const secondsBehind = Effect.fnUntraced(function* (store: EventStore["Service"], checkpoint: Position) {
  const [next] = yield* Effect.orElseSucceed(store.readAll({ after: checkpoint, limit: 1 }), () => [])
  return next === undefined ? 0 : Math.max(0, (yield* Clock.currentTimeMillis) - next.recordedAt) / 1_000
})

/** Time limit for projecting the last events at the end. The next start projects the remaining ones. */
const remainingLimitMillis = 200

/** Between two updates of the gauges. Scrapers read them less often. */
const reportMillis = 5_000

/** Follows the log until an error. Succeeds after any progress, so that the next error starts a new backoff. */
const followOnce = (feed: Feed) =>
  Effect.suspend(() => {
    const from = feed.head()
    return Effect.catch(feed.follow, (error) =>
      Effect.andThen(
        Effect.logWarning("The projector cannot follow the log and tries again", error),
        feed.head() === from ? Effect.fail(error) : Effect.void
      ))
  })

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")]).pipe(Schedule.jittered)
