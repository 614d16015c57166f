import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { modelName } from "../../projections/engine/model-name.ts"
import { quotaModel } from "../../projections/models/quota.ts"
import { parsePosition } from "../../domain/events/recorded-event.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { projections } from "../../projections/models/all.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

interface ProjectionView {
  readonly name: string
  readonly model: string
  readonly checkpoint: string
  readonly head: string
  readonly lag: number
  readonly isAhead: boolean
}

interface Difference {
  readonly count: number
  readonly lines: ReadonlyArray<string>
}

interface Comparison {
  readonly isSame: boolean
  readonly lines: number
  readonly surplus: Difference
  readonly missing: Difference
}

const given = Effect.gen(function* () {
  const service = yield* RunningService
  const { mainBranch } = yield* service.createService({ quota: 1_000 })
  yield* service.verify(mainBranch.apiKey, newSlip().payload)
  const listed = Effect.map(service.admin<ReadonlyArray<ProjectionView>>("GET", "/projections"), ({ data }) => data)
  const post = <Data>(path: string) => service.admin<Data>("POST", `/projections/${path}`)
  return { ...service, key: mainBranch.apiKey, listed, post }
})

layer.live(layerRunningService())("the admin API over read models", (it) => {
  it.effect("returns the checkpoint of each read model and the end of the log", function* () {
    const { listed } = yield* given
    const all = yield* eventually(listed, (found) => found.every(({ lag }) => lag === 0))
    assert.deepStrictEqual(
      all.map(({ model, name }) => [name, model]),
      projections.map((projection) => [projection.name, modelName(projection)])
    )
    for (const { checkpoint, head, isAhead } of all) {
      assert.deepStrictEqual(checkpoint, head)
      assert.isDefined(parsePosition(head))
      assert.isFalse(isAhead)
    }
  })

  it.effect("finds every read model equal to a replay while the service is working", function* () {
    const { key, post, verify } = yield* given
    const busy = Effect.forEach(Array.from({ length: 40 }), () => verify(key, newSlip().payload))
    const comparisons = Effect.forEach(projections, ({ name }) => post<Comparison>(`${name}/compare`))
    const [results] = yield* Effect.all([comparisons, busy], { concurrency: "unbounded" })
    for (const { data, status } of results) {
      assert.strictEqual(status, 200)
      assert.deepInclude(data, { isSame: true, surplus: { count: 0, lines: [] }, missing: { count: 0, lines: [] } })
      assert.isAtLeast(data.lines, 0)
    }
  })

  it.effect("returns the differences, and rebuilds from the log without a pause", function* () {
    const { key, listed, post, verify } = yield* given
    yield* eventually(listed, (found) => found.every(({ lag }) => lag === 0))
    const models = yield* ReadModels
    const model = modelName(quotaModel)
    const checkpoint = yield* models.checkpoint(model)
    yield* models.apply(model, {
      after: checkpoint,
      upTo: checkpoint,
      writes: [{ _tag: "SetFields", table: "rubbish", key: "nothing", fields: { is: "true" } }]
    })
    const before = (yield* post<Comparison>("quota/compare")).data
    assert.deepInclude(before, { isSame: false, missing: { count: 0, lines: [] } })
    assert.strictEqual(before.surplus.count, 1)
    assert.include(before.surplus.lines[0], "rubbish")

    const busy = Effect.forEach(Array.from({ length: 20 }), () => verify(key, newSlip().payload))
    const [rebuilt, answers] = yield* Effect.all(
      [post<{ readonly name: string; readonly model: string; readonly position: string }>("quota/rebuild"), busy],
      { concurrency: "unbounded" }
    )
    assert.deepInclude(rebuilt.data, { name: "quota", model })
    assert.isDefined(parsePosition(rebuilt.data.position))
    assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.isTrue((yield* post<Comparison>("quota/compare")).data.isSame)
  })
})
