import { assert, describe, it } from "../../support/it.ts"
import { Effect, Fiber, Latch } from "effect"
import { shadowName } from "../../../projections/engine/model-name.ts"
import { beginning, formatPosition, isBefore } from "../../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError } from "../../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { rebuild } from "../../../projections/engine/rebuild.ts"
import { appendEvent } from "../../support/event-fixtures.ts"
import { until, untilDone } from "../../support/advance-clock.ts"
import { appendSome, caughtUp, dump, jobs, replayed, startProjector } from "./given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const model = "jobs.v1"
const shadow = shadowName(model)

/** Changes a model without its projection. */
const tamper = Effect.gen(function* () {
  const models = yield* ReadModels
  const after = yield* models.checkpoint(model)
  yield* models.apply(model, {
    after,
    upTo: after,
    writes: [{ _tag: "AddMember", set: "due", member: "no job", score: 1 }]
  })
})

const assertNoShadow = Effect.gen(function* () {
  const models = yield* ReadModels
  assert.deepStrictEqual(yield* models.dump(shadow), { checkpoint: beginning, lines: [] })
})

/** The read models with a gate before writes to one model, and a latch that opens when a write waits there. */
const givenGate = Effect.fnUntraced(function* (guarded: string) {
  const models = yield* ReadModels
  const gate = yield* Latch.make()
  const reached = yield* Latch.make()
  const gated = ReadModels.of({
    ...models,
    apply: (model, batch) =>
      model === guarded
        ? Effect.andThen(Effect.andThen(reached.open, gate.await), models.apply(model, batch))
        : models.apply(model, batch)
  })
  return { gate, gated, reached }
})

describe("rebuilding a read model", () => {
  test("builds a shadow while the live model is read and written, and swaps the two", function* () {
    yield* appendSome(1_300)
    yield* startProjector([jobs])
    yield* caughtUp(model)
    yield* tamper
    const { gate, gated, reached } = yield* givenGate(shadow)
    const rebuilding = yield* Effect.forkScoped(Effect.provideService(rebuild(jobs), ReadModels, gated))
    yield* reached.await

    yield* appendSome(50)
    yield* caughtUp(model)
    assert.lengthOf((yield* dump(model)).filter((line) => line.includes("no job")), 1)

    yield* gate.open
    const { position } = yield* Fiber.join(rebuilding)
    assert.strictEqual(position.commit, 1_350n)
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
    yield* assertNoShadow
    yield* appendSome(20)
    yield* caughtUp(model)
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
  })

  test("makes a projector with a late batch continue from the new model", function* () {
    yield* appendSome(10)
    const { gate, gated, reached } = yield* givenGate(model)
    const projector = yield* Effect.provideService(startProjector([jobs]), ReadModels, gated)
    yield* reached.await
    yield* appendSome(20)
    yield* rebuild(jobs)
    yield* gate.open
    yield* appendSome(1)
    yield* caughtUp(model)
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
    yield* until(Effect.map(projector.status, ([status]) => status?.state === "live" && status.lag === 0))
  })

  test("continues the replay when the live model advanced in the meantime", function* () {
    const models = yield* ReadModels
    yield* appendSome(30)
    yield* startProjector([jobs])
    yield* caughtUp(model)
    const promoted: Array<boolean> = []
    const overtaken = ReadModels.of({
      ...models,
      promote: Effect.fnUntraced(function* (model) {
        if (promoted.length < 3) {
          yield* Effect.orDie(Effect.provideService(appendSome(7), EventStore, store))
          yield* models.awaitPosition(model, yield* Effect.orDie(store.head), 60_000)
        }
        const done = yield* models.promote(model)
        promoted.push(done)
        return done
      })
    })
    const store = yield* EventStore
    const rebuilding = yield* Effect.forkScoped(Effect.provideService(rebuild(jobs), ReadModels, overtaken))
    yield* untilDone(rebuilding)
    assert.strictEqual((yield* Fiber.join(rebuilding)).position.commit, 51n)
    assert.deepStrictEqual(promoted, [false, false, false, true])
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
  })

  test("succeeds twice at the same time", function* () {
    yield* appendSome(2_100)
    yield* startProjector([jobs])
    yield* caughtUp(model)
    yield* tamper
    const both = yield* Effect.forkScoped(
      Effect.all([rebuild(jobs), Effect.andThen(Effect.yieldNow, rebuild(jobs))], { concurrency: "unbounded" })
    )
    yield* untilDone(both)
    for (const { position } of yield* Fiber.join(both)) assert.strictEqual(position.commit, 2_100n)
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
    yield* assertNoShadow
  })

  test("removes its shadow when it is interrupted, and that of a killed rebuild", function* () {
    const models = yield* ReadModels
    yield* appendSome(600)
    yield* models.apply(shadow, {
      after: beginning,
      upTo: { commit: 900n, prepare: 900n },
      writes: [{ _tag: "AddMember", set: "due", member: "of old code", score: 1 }]
    })
    const { gate, gated, reached } = yield* givenGate(shadow)
    const rebuilding = yield* Effect.forkScoped(Effect.provideService(rebuild(jobs), ReadModels, gated))
    yield* reached.await
    yield* Fiber.interrupt(rebuilding)
    yield* assertNoShadow
    assert.deepStrictEqual(yield* models.checkpoint(model), beginning)
    yield* gate.open
    yield* rebuild(jobs)
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
  })

  test("keeps the live model when the projection can't apply an event", function* () {
    yield* appendSome(10)
    yield* startProjector([jobs])
    yield* caughtUp(model)
    yield* tamper
    const before = yield* dump(model)
    yield* appendEvent("job-bad", "Poison")
    const broken = {
      ...jobs,
      when: (event: Parameters<typeof jobs.when>[0]) => event.type === "Poison" ? JSON.parse("{") : jobs.when(event)
    }
    assert.strictEqual((yield* Effect.flip(rebuild(broken)))._tag, "PoisonEvent")
    assert.deepStrictEqual(yield* dump(model), before)
    yield* assertNoShadow
  })

  test("rebuilds a stopped projection, which another process then continues", function* () {
    yield* appendSome(10)
    yield* appendEvent("job-bad", "Poison")
    const broken = {
      ...jobs,
      when: (event: Parameters<typeof jobs.when>[0]) => event.type === "Poison" ? JSON.parse("{") : jobs.when(event)
    }
    const failed = yield* startProjector([broken])
    yield* until(Effect.map(failed.status, ([status]) => status?.state === "failed"))
    yield* rebuild(jobs)
    const [status] = yield* failed.status
    assert.deepInclude(status, { state: "failed", lag: 0 })
    yield* startProjector([jobs])
    yield* appendSome(5)
    yield* caughtUp(model)
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
  })

  test("replaces a model that is ahead of the log", function* () {
    yield* appendSome(10)
    yield* ReadModels.use((models) =>
      models.apply(model, {
        after: beginning,
        upTo: { commit: 99n, prepare: 99n },
        writes: [{ _tag: "AddMember", set: "due", member: "of another log", score: 1 }]
      })
    )
    const rebuilding = yield* Effect.forkScoped(rebuild(jobs))
    yield* untilDone(rebuilding)
    assert.strictEqual((yield* Fiber.join(rebuilding)).position.commit, 10n)
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
    yield* assertNoShadow
  })

  test("continues after a short failure of an engine, before or after a step took effect", function* () {
    const models = yield* ReadModels
    const store = yield* EventStore
    let chance = 1
    const flaky = <A, E, R, F>(step: Effect.Effect<A, E, R>, error: F): Effect.Effect<A, E | F, R> => {
      chance = (chance * 48_271) % 2_147_483_647
      if (chance % 4 === 0) return Effect.fail(error)
      return chance % 4 === 1 ? Effect.andThen(step, Effect.fail(error)) : step
    }
    const timeout = new ReadModelsError({ operation: "test", reason: "timeout" })
    const unavailable = new EventStoreError({ operation: "test", reason: "unavailable" })
    yield* appendSome(600)
    const rebuilding = yield* rebuild(jobs).pipe(
      Effect.provideService(ReadModels, {
        ...models,
        apply: (model, batch) => Effect.suspend(() => flaky(models.apply(model, batch), timeout)),
        promote: (model) => Effect.suspend(() => flaky(models.promote(model), timeout))
      }),
      Effect.provideService(EventStore, {
        ...store,
        head: Effect.suspend(() => flaky(store.head, unavailable)),
        readAll: (options) => Effect.suspend(() => flaky(store.readAll(options), unavailable))
      }),
      Effect.forkScoped
    )
    yield* untilDone(rebuilding)
    yield* Fiber.join(rebuilding)
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))

    const broken = { ...models, apply: () => Effect.fail(timeout) }
    const failing = yield* Effect.forkScoped(Effect.flip(Effect.provideService(rebuild(jobs), ReadModels, broken)))
    yield* untilDone(failing)
    assert.strictEqual(yield* Fiber.join(failing), timeout)
  })

  test("reports its progress", function* () {
    yield* appendSome(1_200)
    const progress: Array<string> = []
    yield* rebuild(jobs, (done, of) =>
      Effect.sync(() => {
        assert.isFalse(isBefore(of, done))
        progress.push(formatPosition(done))
      }))
    assert.deepStrictEqual(progress, ["500/500", "1000/1000", "1200/1200"])
  })
})
