import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, identity, Logger, Metric } from "effect"
import { modelName, shadowName } from "../../../projections/engine/model-name.ts"
import type { Projection } from "../../../projections/engine/projection.ts"
import { isUsable, restoreModel } from "../../../projections/engine/restore.ts"
import { modelCopyIn } from "../../../infrastructure/adapters/stores/sqlite/read-models/model-copy.ts"
import { pathsOf, permissionsOfOthers } from "../../../infrastructure/runtime/data-folder.ts"
import { beginning, isBefore } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { type Building, ModelBuilder } from "../../../ports/model-builder.ts"
import { ModelCopy, type OpenCopy } from "../../../ports/model-copy.ts"
import { ReadModels, type Write } from "../../../ports/read-models.ts"
import { type ContinuedWork, type ContinueTraces, TraceContinuation } from "../../../ports/tracing.ts"
import { until } from "../../support/advance-clock.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { appendSome, caughtUp, dump, jobs, replayed, startProjector, trail } from "./given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const model = "jobs.v1"
const first: Projection = { ...jobs, isFirst: true }

/** A projector with a copy that has the whole log, and the number of events that it has read since. */
const givenCopyOf = Effect.fnUntraced(function* (projection: Projection, ...others: ReadonlyArray<Projection>) {
  const store = yield* EventStore
  yield* appendSome(1_500)
  let read = 0
  const counted = EventStore.of({
    ...store,
    // The gauge of the delay reads one event at a time, whenever its clock says so.
    readAll: (options) =>
      Effect.tap(
        store.readAll(options),
        ({ length }) => Effect.sync(() => void (read += options.limit === 1 ? 0 : length))
      )
  })
  const folder = yield* temporaryFolder
  const open = modelCopyIn(folder)
  let opened: OpenCopy | undefined
  yield* startProjector([...others, projection]).pipe(
    Effect.provideService(EventStore, counted),
    Effect.provideService(ModelCopy, (id) =>
      Effect.tap(open(id), (copy) =>
        Effect.sync(() => {
          opened = copy
        })))
  )
  const allCaughtUp = Effect.forEach([projection, ...others], (each) => caughtUp(modelName(each)))
  yield* allCaughtUp
  yield* until(Effect.sync(() => opened !== undefined))
  const copy = yield* Effect.fromNullishOr(opened)
  yield* Effect.provideService(allCaughtUp, ReadModels, copy.models)
  assert.deepStrictEqual(pathsOf(folder).filter((path) => permissionsOfOthers(path) !== 0 && path !== folder), [])
  read = 0
  return { copy, read: () => read }
})

const given = givenCopyOf(first)

describe("a lost read model", () => {
  for (const [kind, projection] of [["", first], [" when no request waits for it", jobs]] as const) {
    test(`is restored from the copy of the process, without the log, and continues${kind}`, function* () {
      const { read } = yield* givenCopyOf(projection)
      const models = yield* ReadModels
      yield* models.clear(model, yield* models.checkpoint(model))
      yield* caughtUp(model)
      assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
      assert.strictEqual(read(), 0)
      yield* appendSome(40)
      yield* caughtUp(model)
      assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
      assert.deepStrictEqual(yield* models.dump(shadowName(model)), { checkpoint: beginning, lines: [] })
    })
  }

  test("is restored before the others when requests wait for it", function* () {
    const models = yield* ReadModels
    const [shadow, otherShadow] = [shadowName(model), shadowName(modelName(trail))]
    const begun = yield* Deferred.make<void>()
    const changed: Array<string> = []
    let isLost = false
    const observed = ReadModels.of({
      ...models,
      batchWrites: Effect.succeed(5),
      apply: Effect.fnUntraced(function* (name, batch) {
        if (isLost && name === shadow) yield* Deferred.succeed(begun, undefined)
        // The loss of the other model may be noticed first.
        if (isLost && name === otherShadow) yield* Deferred.await(begun)
        changed.push(name)
        // Other fibers run meanwhile, as while an engine is asked over a network.
        yield* Effect.yieldNow
        return yield* models.apply(name, batch)
      }),
      promote: (name) => Effect.tap(models.promote(name), () => Effect.sync(() => void changed.push(name)))
    })
    yield* Effect.provideService(givenCopyOf(first, trail), ReadModels, observed)
    isLost = true
    changed.length = 0
    const lost = [model, modelName(trail)]
    for (const name of lost) yield* models.clear(name, yield* models.checkpoint(name))
    for (const name of lost) yield* caughtUp(name)
    const meanwhile = changed.slice(changed.indexOf(shadow), changed.lastIndexOf(shadow))
    assert.isAbove(meanwhile.filter((name) => name === shadow).length, 5)
    assert.isAtMost(meanwhile.filter((name) => name === otherShadow).length, 2, "the parts that were on their way")
    assert.isAbove(changed.lastIndexOf(otherShadow), changed.indexOf(model, changed.lastIndexOf(shadow)))
  })

  test("is not restored from a copy that is ahead of the log, nor from an empty one", function* () {
    const { copy } = yield* given
    const models = yield* ReadModels
    const log = yield* EventStore
    const shorter = EventStore.of({ ...log, head: Effect.succeed({ commit: 10n, prepare: 10n }) })
    assert.isFalse(yield* Effect.provideService(restoreModel(copy, model), EventStore, shorter))
    assert.isFalse(yield* restoreModel(copy, "unknown.v1"))
    assert.deepStrictEqual((yield* models.dump(shadowName(model))).lines, [])
  })

  test("is not restored from a copy with a small part of a log that it can be built from", function* () {
    const models = yield* ReadModels
    const log = yield* EventStore
    const at = (commit: bigint) => ({ commit, prepare: commit })
    const restoreAt = (commit: bigint) =>
      restoreModel({
        models,
        snapshot: () => Effect.succeed({ checkpoint: at(commit), writes: manyMembers("copy") }),
        builder: undefined
      }, model).pipe(Effect.provideService(EventStore, { ...log, head: Effect.succeed(at(100n)) }))
    const building = (isLongEnough: boolean): Building => ({
      isLongEnough: () => isLongEnough,
      build: () => Effect.void
    })
    assert.isFalse(yield* Effect.provideService(restoreAt(74n), ModelBuilder, building(true)))
    assert.strictEqual((yield* models.checkpoint(model)).commit, 0n)
    assert.isTrue(yield* Effect.provideService(restoreAt(10n), ModelBuilder, building(false)))
    assert.isTrue(yield* restoreAt(20n))
    assert.isTrue(yield* Effect.provideService(restoreAt(75n), ModelBuilder, building(true)))
  })

  test("has the copy of one process when two processes restore it at once", function* () {
    yield* appendSome(1)
    const models = yield* ReadModels
    const checkpoint = yield* (yield* EventStore).head
    const copyOf = (process: string): OpenCopy => ({
      models,
      snapshot: () => Effect.succeed({ checkpoint, writes: manyMembers(process) }),
      builder: undefined
    })
    let batches = 0
    const pause = Effect.replicateEffect(Effect.yieldNow, 10, { discard: true })
    const disturbed = ReadModels.of({
      ...models,
      batchWrites: Effect.succeed(2),
      // An answer that comes late: the engine takes the batches of a process in the order in which they are sent.
      apply: (name, batch) => Effect.tap(models.apply(name, batch), ++batches % 3 === 0 ? pause : Effect.void)
    })
    yield* Effect.all([restoreModel(copyOf("one"), model), restoreModel(copyOf("other"), model)], { concurrency: 2 })
      .pipe(Effect.provideService(ReadModels, disturbed))
    const lines = yield* dump(model)
    const [first = ""] = lines
    const process = first.includes("other") ? "other" : "one"
    assert.lengthOf(lines, 100)
    assert.deepStrictEqual(lines.filter((line) => !line.includes(`"${process}-`)), [])
  })

  test("is not replaced when another process clears the shadow model in the middle", function* () {
    const { copy } = yield* given
    const models = yield* ReadModels
    let parts = 0
    const disturbed = ReadModels.of({
      ...models,
      batchWrites: Effect.succeed(2),
      apply: (name, batch) =>
        Effect.andThen(++parts === 3 ? models.clear(name, beginning) : Effect.void, models.apply(name, batch))
    })
    assert.isFalse(yield* Effect.provideService(restoreModel(copy, model), ReadModels, disturbed))
    assert.oneOf(parts, [3, 4], "the next part may be on its way")
    assert.deepStrictEqual(yield* dump(model), yield* replayed(jobs))
  })
})

describe("the copy", () => {
  test("has no spans in the traces of requests, because no request waits for it", function* () {
    const works: Array<ContinuedWork> = []
    const record: ContinueTraces = (work) => {
      works.push(work)
      return identity
    }
    const { copy } = yield* Effect.provideService(given, TraceContinuation, record)
    const store = yield* EventStore
    works.length = 0
    yield* appendSome(1)
    const head = yield* store.head
    for (const models of [yield* ReadModels, copy.models]) {
      yield* until(Effect.map(models.checkpoint(model), (checkpoint) => !isBefore(checkpoint, head)))
    }
    assert.lengthOf(works.flatMap(({ origins }) => origins), 1)
  })

  test("says when it is usable", function* () {
    const lines: Array<unknown> = []
    const log = Logger.make(({ message }) => void lines.push(message))
    const isSaid = Effect.sync(() =>
      lines.flat().some((line) => String(line).includes("copy of the read models is usable"))
    )
    const usable = Effect.map(
      Metric.snapshot,
      (all) => all.find(({ id }) => id === "sliptrail_projection_copy_usable")?.state
    )
    yield* Effect.provide(given, Logger.layer([log]))
    yield* until(isSaid)
    assert.deepStrictEqual(yield* usable, { value: 1 })
    assert.isFalse(isUsable({ commit: 74n, prepare: 74n }, { commit: 100n, prepare: 100n }))
    assert.isTrue(isUsable({ commit: 75n, prepare: 75n }, { commit: 100n, prepare: 100n }))
    assert.isFalse(isUsable({ commit: 101n, prepare: 101n }, { commit: 100n, prepare: 100n }))
  })
})

const manyMembers = (prefix: string): ReadonlyArray<Write> =>
  Array.from({ length: 100 }, (_, number) => ({
    _tag: "AddMember",
    set: "due",
    member: `${prefix}-${number}`,
    score: number
  }))
