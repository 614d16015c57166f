import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, type Scope, Stream } from "effect"
import { beginning, EventStore, EventStoreError } from "../../application/ports/event-store.ts"
import { ReadModels, ReadModelsError, type Write } from "../../application/ports/read-models.ts"
import type { Projection } from "../../projections/projection.ts"
import { naiveDump, naiveModel } from "../support/naive-model.ts"
import { appendEvent } from "../support/some-events.ts"
import { until } from "../support/until-done.ts"
import { caughtUp, dump, jobs, layerGiven, startProjector, trail } from "./given-projector.ts"

const test = (title: string, body: Effect.Effect<void, unknown, EventStore | ReadModels | Scope.Scope>) =>
  it.effect(title, () => Effect.provide(body, layerGiven))

describe("the projector", () => {
  test("projects what stands in the log and what comes later, and then says that it is live", Effect.gen(function*() {
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
  }))

  it.effect.prop(
    "gives the models of one straight replay, however it is stopped, started and rebuilt meanwhile",
    [Schema.Array(Schema.Literals(["append 1", "append 40", "stop", "start", "second", "rebuild", "wipe", "wait"]))],
    ([steps]) =>
      Effect.gen(function*() {
        const models = yield* ReadModels
        const running: Array<Effect.Success<ReturnType<typeof startProjector>>> = [yield* startProjector([jobs, trail])]
        for (const step of [...steps, "start"]) {
          if (step === "append 1") yield* appendSome(1)
          if (step === "append 40") yield* appendSome(40)
          if (step === "wait") yield* Effect.yieldNow
          if (step === "second" || (step === "start" && running.length === 0)) {
            running.push(yield* startProjector([jobs, trail]))
          }
          if (step === "stop") yield* running.pop()?.stop ?? Effect.void
          if (step === "rebuild") yield* running[0]?.rebuild("jobs") ?? Effect.void
          if (step === "wipe") yield* models.clear("trail.v2")
        }
        yield* caughtUp("jobs.v1")
        yield* caughtUp("trail.v2")
        assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
        assert.deepStrictEqual(yield* dump("trail.v2"), yield* replayed(trail))
      }).pipe(Effect.provide(layerGiven), Effect.scoped),
    { arbitrary: { runs: 40, size: 20 } }
  )

  test("builds a rebuilt model to equal content and leaves the others alone", Effect.gen(function*() {
    yield* appendSome(300)
    const projector = yield* startProjector([jobs, trail])
    yield* caughtUp("jobs.v1")
    yield* caughtUp("trail.v2")
    const before = yield* dump("jobs.v1")
    // What no event accounts for has to be gone afterwards.
    yield* ReadModels.use((models) =>
      Effect.flatMap(models.checkpoint("jobs.v1"), (after) =>
        models.apply("jobs.v1", { after, upTo: after, writes: [{ _tag: "DeleteRow", table: "jobs", key: "job-1" }] })))
    const trailBefore = yield* ReadModels.use((models) => models.checkpoint("trail.v2"))
    yield* projector.rebuild("jobs")
    assert.deepStrictEqual(yield* ReadModels.use((models) => models.checkpoint("trail.v2")), trailBefore)
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("jobs.v1"), before)
    yield* projector.rebuild("jobs")
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("jobs.v1"), before)
    assert.strictEqual((yield* Effect.flip(projector.rebuild("nobody")))._tag, "UnknownProjection")
  }))

  test("notices models that were wiped, or made of another log, and builds them anew", Effect.gen(function*() {
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
    yield* models.clear("jobs.v1")
    yield* caughtUp("jobs.v1")
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
  }))

  test("stops only a projection that can't take an event, in front of it and for all to see", Effect.gen(function*() {
    yield* appendSome(10)
    yield* appendEvent("job-bad", "Poison")
    yield* appendSome(10)
    const picky: Projection = {
      ...jobs,
      name: "picky",
      when: (event) => {
        if (event.type === "Poison") throw new TypeError("no such field")
        return jobs.when(event)
      }
    }
    const projector = yield* startProjector([picky, jobs])
    yield* caughtUp("jobs.v1")
    const stateOf = Effect.map(projector.status, (all) => all.find(({ name }) => name === "picky"))
    yield* until(Effect.map(stateOf, (status) => status?.state === "failed"))
    const status = yield* stateOf
    assert.strictEqual(status?.checkpoint.commit, 10n)
    assert.strictEqual(status?.lag, 11)
    assert.match(status?.error ?? "", /Poison at 11\/11 of job-bad.*no such field/u)
    assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
    assert.deepStrictEqual(yield* dump("picky.v1"), yield* replayed(jobs, 10))

    yield* projector.rebuild("picky")
    yield* until(Effect.map(stateOf, (status) => status?.state === "failed"))
    assert.deepStrictEqual(yield* dump("picky.v1"), yield* replayed(jobs, 10))
  }))

  test("goes on without a gap after errors of the log", Effect.gen(function*() {
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
  }))

  test("goes on after errors of the models, before or after a batch took effect", Effect.gen(function*() {
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
  }))

  test("lets no projection wait for another", Effect.gen(function*() {
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
    assert.deepStrictEqual((yield* projector.status).map(({ state }) => state), ["catching-up", "live"])
  }))

  test("moves the checkpoint over events without writes, together and not one by one", Effect.gen(function*() {
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
      // The projector looks at each of them before the next one comes; the test clock stands still.
      for (let turn = 0; turn < 5; turn++) yield* Effect.yieldNow
    }
    assert.isBelow(applied, 3)
    yield* caughtUp("jobs.v1")
    assert.isBelow(applied, 5)
  }))
})

/** Events of a few jobs in the order that jobs live in, every run of it the same. */
const appendSome = Effect.fnUntraced(function*(count: number) {
  const store = yield* EventStore
  for (let n = 0; n < count; n++) {
    const place = Number((yield* store.head).commit)
    const type = ["Enqueued", "Attempted", "Ended", "Enqueued", "Forgotten"][place % 5] ?? "Enqueued"
    yield* appendEvent(`job-${(place * 7) % 23}`, type, { at: place })
  }
})

/** What a projection makes of the log, or of its first events, in one go. */
const replayed = Effect.fnUntraced(function*(projection: Projection, first = Infinity) {
  const events = yield* EventStore.use((store) => store.readAll({ after: beginning, limit: first }))
  const writes: ReadonlyArray<Write> = events
    .filter(({ stream }) => projection.streams.some((prefix) => stream.startsWith(prefix)))
    .flatMap((event) => projection.when(event))
  return naiveDump(naiveModel(writes))
})
