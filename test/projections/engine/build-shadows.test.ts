import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { beginning, formatPosition, isBefore, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { buildShadows } from "../../../projections/engine/build-shadows.ts"
import { modelName, shadowName } from "../../../projections/engine/model-name.ts"
import type { Projection } from "../../../projections/engine/projection.ts"
import { appendSome, dump, jobs, replayed, trail } from "./given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const [ofJobs, ofTrail] = [modelName(jobs), modelName(trail)]

describe("building shadow models in one pass over the log", () => {
  for (const batchWrites of [1, 7, 10_000]) {
    test(`makes what a replay makes, in batches of ${batchWrites} writes`, function* () {
      yield* appendSome(200)
      assert.deepStrictEqual(yield* build([jobs, trail], { batchWrites }), [ofJobs, ofTrail])
      for (const projection of [jobs, trail]) {
        assert.deepStrictEqual(yield* dump(shadowName(modelName(projection))), yield* replayed(projection))
      }
    })
  }

  test("ends at the last event that was read", function* () {
    yield* appendSome(20)
    const { head } = yield* EventStore
    const upTo = yield* head
    yield* appendSome(20)
    assert.deepStrictEqual(yield* build([jobs], { upTo }), [ofJobs])
    assert.deepStrictEqual(yield* checkpointOf(shadowName(ofJobs)), formatPosition(upTo))
    assert.deepStrictEqual(yield* dump(shadowName(ofJobs)), yield* replayed(jobs, 20))
  })

  test("clears what another build has left", function* () {
    const models = yield* ReadModels
    const writes = [{ _tag: "AddMember", set: "due", member: "no job", score: 1 }] as const
    yield* models.apply(shadowName(ofJobs), { after: beginning, upTo: { commit: 9n, prepare: 9n }, writes })
    yield* appendSome(20)
    assert.deepStrictEqual(yield* build([jobs]), [ofJobs])
    assert.deepStrictEqual(yield* dump(shadowName(ofJobs)), yield* replayed(jobs))
  })

  test("leaves out a projection that throws on an event, and no shadow of it", function* () {
    yield* appendSome(50)
    const throwing: Projection = {
      ...trail,
      when: (event) => {
        if (event.position.commit === 40n) throw new Error("unknown type")
        return trail.when(event)
      }
    }
    assert.deepStrictEqual(yield* build([throwing, jobs], { batchWrites: 5 }), [ofJobs])
    assert.deepStrictEqual(yield* dump(shadowName(ofTrail)), [])
    assert.deepStrictEqual(yield* checkpointOf(shadowName(ofTrail)), formatPosition(beginning))
  })

  test("leaves out a model whose shadow another process writes meanwhile", function* () {
    const models = yield* ReadModels
    yield* appendSome(50)
    let batches = 0
    const disturbed = ReadModels.of({
      ...models,
      apply: (model, batch) =>
        model === shadowName(ofJobs) && ++batches === 3
          ? Effect.andThen(models.clear(model, beginning), models.apply(model, batch))
          : models.apply(model, batch)
    })
    const built = build([jobs, trail], { batchWrites: 5 })
    assert.deepStrictEqual(yield* Effect.provideService(built, ReadModels, disturbed), [ofTrail])
  })

  test("fails when the log or the read models fail for good", function* () {
    const models = yield* ReadModels
    yield* appendSome(50)
    const broken = new ReadModelsError({ operation: "apply", reason: "behind" })
    const failing = ReadModels.of({
      ...models,
      apply: (model, batch) => batch.writes.length > 0 ? Effect.fail(broken) : models.apply(model, batch)
    })
    const built = build([jobs, trail], { batchWrites: 5 })
    assert.strictEqual(yield* Effect.flip(Effect.provideService(built, ReadModels, failing)), broken)
    const noLog = buildShadows([jobs], Effect.fail("no log"))
    assert.strictEqual(yield* Effect.flip(noLog), "no log")
  })

  it.live("repeats a batch whose answer was lost", () =>
    Effect.gen(function* () {
      const models = yield* ReadModels
      yield* appendSome(50)
      let isLost = false
      const losing = ReadModels.of({
        ...models,
        apply: (model, batch) =>
          Effect.tap(models.apply(model, batch), () => {
            if (isLost || batch.writes.length === 0) return Effect.void
            isLost = true
            return Effect.fail(new ReadModelsError({ operation: "apply", reason: "timeout" }))
          })
      })
      const built = build([counting], { batchWrites: 5 })
      assert.deepStrictEqual(yield* Effect.provideService(built, ReadModels, losing), [modelName(counting)])
      assert.isTrue(isLost)
      assert.deepStrictEqual(yield* dump(shadowName(modelName(counting))), yield* replayed(counting))
    }).pipe(Effect.provide(layerPorts())))
})

/** Counts events: a batch that is applied twice would show. */
const counting: Projection = {
  name: "count",
  version: 1,
  streams: [""],
  when: () => [{ _tag: "AddToFields", table: "counts", key: "events", amounts: { n: 1 } }]
}

const checkpointOf = (model: string) => ReadModels.use((models) => Effect.map(models.checkpoint(model), formatPosition))

interface BuildOptions {
  readonly batchWrites?: number
  readonly upTo?: RecordedEvent["position"]
}

/** Builds from the log in pages of three events. */
const build = Effect.fnUntraced(function* (
  projections: ReadonlyArray<Projection>,
  { batchWrites = 10, ...options }: BuildOptions = {}
) {
  const [store, models] = [yield* EventStore, yield* ReadModels]
  const upTo = options.upTo ?? (yield* store.head)
  let after = beginning
  const nextPage = Effect.gen(function* () {
    const page = (yield* store.readAll({ after, limit: 3 })).filter(({ position }) => !isBefore(upTo, position))
    after = page.at(-1)?.position ?? after
    return page.length === 0 ? undefined : page
  })
  const inBatches = ReadModels.of({ ...models, batchWrites: Effect.succeed(batchWrites) })
  return yield* Effect.provideService(buildShadows(projections, nextPage), ReadModels, inBatches)
})
