import { assert, describe, it } from "../../support/it.ts"
import { Clock, Effect, Logger, Stream } from "effect"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { EventStore, EventStoreError } from "../../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import type { Projection } from "../../../projections/engine/projection.ts"
import { refreshMillis } from "../../../projections/engine/runner.ts"
import { appendEvent } from "../../support/event-fixtures.ts"
import { until } from "../../support/advance-clock.ts"
import { appendSome, caughtUp, dump, jobs, replayed, startProjector, trail } from "./given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const strict: Projection = {
  ...jobs,
  name: "strict",
  when: (event) => {
    if (event.type === "Poison") throw new TypeError("no such field")
    return jobs.when(event)
  }
}

/** A log with so many events before and after one on which the projection `strict` throws. */
const stopsBefore = Effect.fnUntraced(function* (before: number, after: number) {
  yield* appendSome(before)
  yield* appendEvent("job-bad", "Poison")
  yield* appendSome(after)
  const projector = yield* startProjector([strict, jobs])
  yield* caughtUp("jobs.v1")
  const stateOf = Effect.map(projector.status, (all) => all.find(({ name }) => name === "strict"))
  yield* until(Effect.map(stateOf, (status) => status?.state === "failed"))
  const status = yield* stateOf
  assert.strictEqual(status?.checkpoint.commit, BigInt(before))
  assert.strictEqual(status?.lag, after + 1)
  assert.include(status?.error ?? "", `Poison at ${before + 1}/${before + 1} of job-bad`)
  assert.include(status?.error ?? "", "no such field")
  assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
  assert.deepStrictEqual(yield* dump("strict.v1"), before === 0 ? [] : yield* replayed(jobs, before))

  // A process with a repaired projection takes over. The failed projector reports its position.
  yield* startProjector([{ ...jobs, name: "strict" }])
  yield* caughtUp("strict.v1")
  assert.deepInclude(yield* stateOf, { state: "failed", lag: 0 })
})

describe("the projector", () => {
  test("projects existing and new events, and is then live", function* () {
    yield* appendSome(300)
    const projector = yield* startProjector([jobs, trail])
    yield* caughtUp("trail.v2")
    yield* appendSome(5)
    yield* caughtUp("trail.v2")
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
    assert.deepStrictEqual(yield* dump("trail.v2"), yield* replayed(trail))
    yield* until(Effect.map(projector.status, (all) => all.every(({ lag, state }) => state === "live" && lag === 0)))
    const head = yield* EventStore.use((store) => store.head)
    assert.deepStrictEqual((yield* projector.status)[0], {
      name: "jobs",
      model: "jobs.v1",
      checkpoint: head,
      head,
      lag: 0,
      state: "live"
    })
  })

  test("rebuilds models that were wiped or belong to another log", function* () {
    const models = yield* ReadModels
    yield* appendSome(50)
    yield* models.apply("jobs.v1", {
      after: beginning,
      upTo: { commit: 1_000n, prepare: 1_000n },
      writes: [{ _tag: "AddMember", set: "due", member: "of another log", score: 1 }]
    })
    yield* startProjector([jobs])
    yield* until(Effect.map(dump("jobs.v1"), (lines) => !lines.join().includes("another") && lines.length > 0))
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))

    const wiped = yield* Clock.currentTimeMillis
    yield* models.clear("jobs.v1", beginning)
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
    assert.isAtMost(
      (yield* Clock.currentTimeMillis) - wiped,
      refreshMillis + 100,
      "the projector reads the checkpoint four times in a second of the test clock"
    )

    // With a new event, the read models report their changed position.
    yield* models.clear("jobs.v1", beginning)
    yield* appendSome(1)
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
  })

  // With many events after it, the projector catches up in large batches.
  for (const { after, before } of [{ before: 10, after: 10 }, { before: 300, after: 600 }, { before: 0, after: 600 }]) {
    test(
      `stops only the projection that can't apply an event, after ${before} events and before ${after}, and reports it`,
      () => stopsBefore(before, after)
    )
  }

  test("continues without a gap after errors of the log", function* () {
    const store = yield* EventStore
    let chance = 1
    const down = new EventStoreError({ operation: "test", reason: "unavailable" })
    const sometimes = <A>(effect: Effect.Effect<A, EventStoreError>): Effect.Effect<A, EventStoreError> =>
      Effect.suspend(() => {
        chance = (chance * 48_271) % 2_147_483_647
        return chance % 3 === 0 ? Effect.fail(down) : effect
      })
    const flaky = EventStore.of({
      ...store,
      head: sometimes(store.head),
      readAll: (options) => sometimes(store.readAll(options)),
      subscribe: (options) =>
        Stream.unwrap(sometimes(Effect.succeed(store.subscribe(options)))).pipe(
          Stream.take(2),
          Stream.concat(Stream.fail(down))
        )
    })
    yield* appendSome(200)
    yield* Effect.provideService(startProjector([jobs, trail]), EventStore, flaky)
    for (let n = 0; n < 10; n++) {
      yield* appendSome(3)
      yield* caughtUp("trail.v2")
    }
    assert.deepStrictEqual(yield* dump("trail.v2"), yield* replayed(trail))
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
  })

  test("continues after errors of the models, before or after a batch took effect", function* () {
    const models = yield* ReadModels
    let calls = 0
    const down = new ReadModelsError({ operation: "apply", reason: "timeout" })
    const flaky = ReadModels.of({
      ...models,
      apply: (model, batch) => {
        const kind = calls++ % 3
        if (kind === 0) return Effect.fail(down)
        return kind === 1 ? Effect.andThen(models.apply(model, batch), Effect.fail(down)) : models.apply(model, batch)
      }
    })
    const projector = yield* Effect.provideService(startProjector([jobs, trail]), ReadModels, flaky)
    for (let n = 0; n < 10; n++) {
      yield* appendSome(7)
      yield* caughtUp("trail.v2")
    }
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("trail.v2"), yield* replayed(trail))
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
    yield* until(Effect.map(projector.status, (all) => all.every(({ error, state }) => state === "live" && !error)))
  })

  test("warns once a minute while an engine refuses every batch", function* () {
    const models = yield* ReadModels
    const full = new ReadModelsError({ operation: "apply", reason: "unavailable" })
    let refused = 0
    const apply = () => Effect.andThen(Effect.sync(() => void refused++), Effect.fail(full))
    const refusing = ReadModels.of({ ...models, apply })
    const warnings: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void warnings.push(String(message)))])
    yield* Effect.gen(function* () {
      yield* startProjector([jobs])
      yield* appendSome(3)
      const begun = yield* Clock.currentTimeMillis
      yield* until(Effect.map(Clock.currentTimeMillis, (now) => now - begun >= 90_000))
    }).pipe(Effect.provideService(ReadModels, refusing), Effect.provide(logger))
    assert.isAbove(refused, 20)
    assert.lengthOf(warnings.filter((message) => message.includes("held up")), 2)
  })

  test("does not let one projection block another", function* () {
    const models = yield* ReadModels
    const stuck = ReadModels.of({
      ...models,
      apply: (model, batch) => model === "trail.v2" ? Effect.never : models.apply(model, batch)
    })
    yield* appendSome(10)
    const projector = yield* Effect.provideService(startProjector([trail, jobs]), ReadModels, stuck)
    for (let n = 0; n < 40; n++) {
      yield* appendSome(100)
      yield* caughtUp("jobs.v1")
    }
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
    yield* until(Effect.map(projector.status, ([stuck, live]) => stuck?.state !== "live" && live?.state === "live"))
  })

  test("reads an old log once for all projections, and finishes those that requests wait for before the others", function* () {
    const [store, models] = [yield* EventStore, yield* ReadModels]
    yield* appendSome(3_000)
    let read = 0
    const counted = EventStore.of({
      ...store,
      readAll: (options) =>
        Effect.tap(store.readAll(options), (events) =>
          Effect.sync(() => {
            if (options.limit > 1) read += events.length
          }))
    })
    const order: Array<string> = []
    const small = ReadModels.of({
      ...models,
      batchWrites: Effect.succeed(20),
      apply: (model, batch) => {
        order.push(model)
        return models.apply(model, batch)
      }
    })
    const projections: ReadonlyArray<Projection> = [
      { ...trail, name: "last" },
      trail,
      { ...jobs, isFirst: true },
      { ...jobs, name: "early", isFirst: true }
    ]
    yield* startProjector(projections).pipe(
      Effect.provideService(EventStore, counted),
      Effect.provideService(ReadModels, small)
    )
    for (const { name, version } of projections) yield* caughtUp(`${name}.v${version}`)
    assert.deepStrictEqual(yield* dump("early.v1"), yield* replayed(jobs))
    assert.deepStrictEqual(yield* dump("last.v2"), yield* replayed(trail))
    const isFirst = (model: string) => model === "jobs.v1" || model === "early.v1"
    // The others may have begun a batch before the first ones had seen how far they are behind.
    assert.isAtMost(order.slice(0, order.findLastIndex(isFirst)).filter((model) => !isFirst(model)).length, 2)
    assert.isBelow(read, 2 * 3_000 + 1_500, "one pass for the projections in front, one for the others")
  })

  test("moves the checkpoint over events without writes in one step", function* () {
    const models = yield* ReadModels
    let applied = 0
    const counted = ReadModels.of({
      ...models,
      apply: (model, batch) => {
        applied++
        return models.apply(model, batch)
      }
    })
    yield* Effect.provideService(startProjector([jobs]), ReadModels, counted)
    for (let n = 0; n < 50; n++) {
      yield* appendEvent("branch-1", "QuotaSet", { n })
      // The projector reads each event before the next one is appended. The test clock does not advance.
      for (let turn = 0; turn < 5; turn++) yield* Effect.yieldNow
    }
    assert.isBelow(applied, 3)
    yield* caughtUp("jobs.v1")
    assert.isBelow(applied, 5)
  })
})
