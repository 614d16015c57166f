import { Context, Effect, FiberMap, Layer, Schedule, Schema } from "effect"
import { EventStore, type Position } from "../application/ports/event-store.ts"
import { ReadModels, type ReadModelsError } from "../application/ports/read-models.ts"
import { type Feed, makeFeed } from "./feed.ts"
import type { Projection } from "./projection.ts"
import { makeRunner, type Runner } from "./runner.ts"

export interface ProjectionStatus {
  readonly name: string
  /** The name space of the read model. */
  readonly model: string
  /** Everything up to here is in the read model. */
  readonly checkpoint: Position
  /** Where the log ends. */
  readonly head: Position
  /** Distance of the two in commit positions: with the embedded store events, with EventStoreDB bytes of its log. */
  readonly lag: number
  /** `failed`: stands still until it is rebuilt or the process starts again with a repaired projection. */
  readonly state: "live" | "catching-up" | "failed"
  /** Why it failed, or what it is trying again after. */
  readonly error?: string
}

export class UnknownProjection extends Schema.TaggedError<UnknownProjection>()("UnknownProjection", {
  name: Schema.String
}) {}

/** Keeps the read models up to date with the log. */
export class Projector extends Context.Service<Projector, {
  readonly status: Effect.Effect<ReadonlyArray<ProjectionStatus>>
  /** Forgets the read model and builds it again from the beginning of the log; returns when that has begun. */
  readonly rebuild: (name: string) => Effect.Effect<void, UnknownProjection | ReadModelsError>
}>()("sliptrail/projections/Projector") {}

/**
 * Runs projections for the life of the layer, each on its own: one that is behind, fails or is rebuilt does not hold
 * up the others. Events are shared between them where they stand at the same place.
 *
 * A checkpoint moves together with the writes in front of it, so that a crash costs a repetition and never an event.
 * Any number of projectors may run on the same read models: the one that comes second goes on from where the first is.
 */
export const layerProjector = (
  projections: ReadonlyArray<Projection>
): Layer.Layer<Projector, never, EventStore | ReadModels> =>
  Layer.effect(Projector, Effect.gen(function*() {
    const store = yield* EventStore
    const models = yield* ReadModels
    const feed = yield* makeFeed
    const fibers = yield* FiberMap.make<string>()
    const runners = new Map<string, Runner>()
    for (const projection of projections) {
      const runner = yield* makeRunner(projection, feed)
      runners.set(projection.name, runner)
      yield* FiberMap.run(fibers, projection.name, Effect.interruptible(runner.run))
    }
    yield* followOnce(feed).pipe(
      Effect.retry(backoff),
      Effect.forever,
      Effect.forkScoped
    )

    return Projector.of({
      status: Effect.gen(function*() {
        const head = yield* Effect.orElseSucceed(store.head, feed.head)
        return Array.from(runners.values(), (runner) => statusOf(runner, head))
      }),
      rebuild: Effect.fn("Projector.rebuild")(function*(name) {
        const runner = runners.get(name)
        if (runner === undefined) return yield* new UnknownProjection({ name })
        yield* Effect.logInfo(`Projection ${name} is being rebuilt`)
        yield* FiberMap.remove(fibers, name)
        // It must run again even if the model could not be cleared.
        yield* Effect.ensuring(models.clear(runner.model), FiberMap.run(fibers, name, Effect.interruptible(runner.run)))
      }, Effect.uninterruptible)
    })
  }))

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

const statusOf = (runner: Runner, head: Position): ProjectionStatus => {
  const { checkpoint, state, error } = runner.progress()
  const distance = Number(head.commit - checkpoint.commit)
  return {
    name: runner.name,
    model: runner.model,
    checkpoint,
    head,
    lag: Math.max(0, distance),
    state,
    ...(error === undefined ? {} : { error })
  }
}
