import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { beginning, formatPosition } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { type Building, ModelBuilder, type ModelGroups } from "../../../ports/model-builder.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { buildTogether } from "../../../projections/engine/build-together.ts"
import { modelName, shadowName } from "../../../projections/engine/model-name.ts"
import type { Projection } from "../../../projections/engine/projection.ts"
import { appendSome, jobs, trail } from "./given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

describe("building empty read models together", () => {
  test("builds those that are asked for at the same time, and no others", function* () {
    const { build, groups } = yield* given(complete)
    const asking = yield* Effect.forkChild(Effect.all([build(jobs), build(trail)], { concurrency: 2 }))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* Fiber.join(asking), [true, true])
    assert.deepStrictEqual(groups, [[[modelName(jobs), modelName(trail)]]])
    const { checkpoint } = yield* ReadModels
    const head = yield* (yield* EventStore).head
    for (const projection of [jobs, trail]) {
      assert.strictEqual(formatPosition(yield* checkpoint(modelName(projection))), formatPosition(head))
    }
    assert.strictEqual((yield* checkpoint(modelName(first))).commit, 0n)
  })

  test("names those first that requests wait for", function* () {
    const { build, groups } = yield* given(complete)
    const asking = yield* Effect.forkChild(Effect.all([build(jobs), build(first)], { concurrency: 2 }))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(asking)
    assert.deepStrictEqual(groups, [[[modelName(first)], [modelName(jobs)]]])
  })

  test("lets each runner go on as soon as its model is live", function* () {
    const goOn = yield* Deferred.make<void>()
    const { build } = yield* given((models) => ([ofFirst = [], ...others], upTo, onBuilt) =>
      Effect.andThen(
        Effect.andThen(complete(models)([ofFirst], upTo, onBuilt), Deferred.await(goOn)),
        complete(models)(others, upTo, onBuilt)
      )
    )
    const [early, late] = [yield* Effect.forkChild(build(first)), yield* Effect.forkChild(build(jobs))]
    yield* TestClock.adjust("1 second")
    assert.isTrue(yield* Fiber.join(early))
    assert.isUndefined(late.pollUnsafe())
    yield* Deferred.succeed(goOn, undefined)
    assert.isTrue(yield* Fiber.join(late))
  })

  test("waits for those that requests wait for, but not for long", function* () {
    const { build, groups } = yield* given(complete, first)
    const asking = yield* Effect.forkChild(build(jobs))
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(groups, [])
    const late = yield* Effect.forkChild(build(first))
    yield* TestClock.adjust("1 second")
    yield* Effect.all([Fiber.join(asking), Fiber.join(late)])
    assert.deepStrictEqual(groups, [[[modelName(first)], [modelName(jobs)]]])

    yield* (yield* ReadModels).clear(modelName(first), beginning)
    const alone = yield* Effect.forkChild(build(trail))
    yield* TestClock.adjust("4 seconds")
    assert.isTrue(yield* Fiber.join(alone))
  })

  test("leaves to batches what the builder does not build", function* () {
    const { build } = yield* given(() => () => Effect.void)
    const asking = yield* Effect.forkChild(build(jobs))
    yield* TestClock.adjust("1 second")
    assert.isFalse(yield* Fiber.join(asking))
  })

  test("does not wait for others when the log is short", function* () {
    const short = { commit: LEAST - 1n, prepare: LEAST - 1n }
    const log = EventStore.of({ ...yield* EventStore, head: Effect.succeed(short) })
    const ofShortLog = yield* given(complete).pipe(Effect.provideService(EventStore, log))
    assert.isFalse(yield* ofShortLog.build(jobs))
    assert.deepStrictEqual(ofShortLog.groups, [])
  })

  test("leaves no part of a build that failed, and builds again when it is asked again", function* () {
    const models = yield* ReadModels
    let builds = 0
    const { build } = yield* given((models) => (groups, upTo, onBuilt) =>
      ++builds > 2 ? complete(models)(groups, upTo, onBuilt) : Effect.andThen(
        models.apply(shadowName(modelName(jobs)), { after: beginning, upTo, writes: some }),
        builds === 1
          ? Effect.fail(new ReadModelsError({ operation: "build", reason: "unavailable" }))
          : Effect.die("a defect of the builder")
      )
    )
    for (const outcome of [false, false, true]) {
      const asking = yield* Effect.forkChild(build(jobs))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(asking), outcome)
      assert.deepStrictEqual((yield* models.dump(shadowName(modelName(jobs)))).lines, [])
    }
  })

  test("goes on when the runner that asked first is interrupted", function* () {
    const begun = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const { build } = yield* given((models) => (groups, upTo, onBuilt) =>
      Effect.andThen(
        Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn)),
        complete(models)(groups, upTo, onBuilt)
      )
    )
    const [one, other] = [yield* Effect.forkChild(build(jobs)), yield* Effect.forkChild(build(trail))]
    yield* TestClock.adjust("1 second")
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(one)
    yield* Deferred.succeed(goOn, undefined)
    assert.isTrue(yield* Fiber.join(other))
  })
})

const first: Projection = { ...trail, name: "first", isFirst: true }

const some = [{ _tag: "AddMember", set: "due", member: "j1", score: 1 }] as const

/** Completes each model, without content. */
const complete = ({ apply }: ReadModels["Service"]): Building["build"] => (groups, upTo, onBuilt) =>
  Effect.forEach(
    groups.flat(),
    (model) => Effect.andThen(apply(shadowName(model), { after: beginning, upTo, writes: [] }), onBuilt(model)),
    { discard: true }
  )

/** Events of a log that is built from. */
const LEAST = 5n

/** A log with events, and what builds together with a builder. */
const given = Effect.fnUntraced(function* (
  makeBuilder: (models: ReadModels["Service"]) => Building["build"],
  ...others: ReadonlyArray<Projection>
) {
  yield* appendSome(Number(LEAST))
  const buildModels = makeBuilder(yield* ReadModels)
  const groups: Array<ModelGroups> = []
  const builder: Building = {
    isLongEnough: ({ commit }) => commit >= LEAST,
    build: (asked, upTo, onBuilt) => {
      groups.push(asked)
      return buildModels(asked, upTo, onBuilt)
    }
  }
  const build = yield* Effect.provideService(buildTogether([jobs, trail, ...others]), ModelBuilder, builder)
  return { build: build ?? assert.fail("there is a builder"), groups }
})
