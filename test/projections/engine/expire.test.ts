import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { layerReadModelsEmbedded } from "../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, type Write } from "../../../ports/read-models.ts"
import { compare } from "../../../projections/engine/compare.ts"
import { expireAll } from "../../../projections/engine/expire.ts"
import type { Projection } from "../../../projections/engine/projection.ts"
import { until } from "../../support/advance-clock.ts"
import { appendEvent } from "../../support/event-fixtures.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { caughtUp, dump, startProjector } from "./given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const model = "ended.v1"
const RETENTION_MILLIS = 3_600_000

/** Jobs that ended, by the time of their end. */
const ended: Projection = {
  name: "ended",
  version: 1,
  streams: ["job-"],
  when: ({ data: { at }, stream }): ReadonlyArray<Write> => [
    { _tag: "SetFields", table: "jobs", key: stream, fields: { at: at ?? null } },
    { _tag: "AddMember", set: "ended", member: stream, score: Number(at) }
  ],
  expiring: [{
    set: "ended",
    expire: (member) => [
      { _tag: "RemoveMember", set: "ended", member },
      { _tag: "DeleteRow", table: "jobs", key: member }
    ]
  }]
}

const lines = (member: string, score: number) => [
  `{"fields":{"at":${score}},"key":"${member}","table":"jobs"}`,
  `{"member":"${member}","score":${score},"set":"ended"}`
]

const endJob = (job: string, at: number) => appendEvent(job, "Ended", { at })

const remaining = ReadModels.use((models) => models.count(model, "ended"))

const compared = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "fresh.db")
  const fresh = Context.get(yield* Layer.build(layerReadModelsEmbedded({ file })), ReadModels)
  const found = yield* compare(ended, fresh, yield* ReadModels.use((models) => models.dump(model)), RETENTION_MILLIS)
  return { missing: found.missing, surplus: found.surplus }
})

const same = { missing: [], surplus: [] }

describe("members after the retention", () => {
  test("leave the model with what belongs to them, in slices, at the same checkpoint", function* () {
    const models = yield* ReadModels
    const sliceSizes: Array<number> = []
    const observed = ReadModels.of({
      ...models,
      apply: (name, batch) => {
        if (batch.after === batch.upTo) sliceSizes.push(batch.writes.length)
        return models.apply(name, batch)
      }
    })
    for (let index = 0; index < 450; index++) yield* endJob(`job-${index}`, 0)
    yield* endJob("job-late", RETENTION_MILLIS)
    yield* startProjector([ended], RETENTION_MILLIS).pipe(Effect.provideService(ReadModels, observed))
    yield* caughtUp(model)
    assert.strictEqual(yield* remaining, 451)

    yield* TestClock.adjust(RETENTION_MILLIS + 60_000)
    yield* until(Effect.map(remaining, (count) => count === 1))
    assert.deepStrictEqual(yield* dump(model), lines("job-late", RETENTION_MILLIS))
    assert.deepStrictEqual(sliceSizes, [400, 400, 100])
    const head = yield* (yield* EventStore).head
    assert.deepStrictEqual(yield* models.checkpoint(model), head)

    yield* endJob("job-new", RETENTION_MILLIS + 1)
    yield* caughtUp(model)
    assert.deepStrictEqual(
      yield* dump(model),
      [
        ...lines("job-late", RETENTION_MILLIS),
        ...lines("job-new", RETENTION_MILLIS + 1)
      ].sort()
    )
  })

  test("stay without a retention", function* () {
    yield* endJob("job-1", 0)
    yield* startProjector([ended])
    yield* caughtUp(model)
    yield* TestClock.adjust(RETENTION_MILLIS + 120_000)
    yield* endJob("job-2", 0)
    yield* caughtUp(model)
    assert.strictEqual(yield* remaining, 2)
  })

  test("make no difference between a model and a replay, whether they are still there or not", function* () {
    const models = yield* ReadModels
    yield* endJob("job-old", 0)
    yield* endJob("job-older", 1)
    yield* endJob("job-recent", 2 * RETENTION_MILLIS)
    const head = yield* (yield* EventStore).head
    const events = yield* (yield* EventStore).readAll({ after: { commit: 0n, prepare: 0n }, limit: 10 })
    yield* models.apply(model, {
      after: { commit: 0n, prepare: 0n },
      upTo: head,
      writes: events.flatMap(ended.when)
    })
    const remove = (job: string) =>
      models.apply(model, { after: head, upTo: head, writes: ended.expiring?.[0]?.expire(job, 0) ?? [] })
    yield* TestClock.adjust(2 * RETENTION_MILLIS)

    assert.deepStrictEqual(yield* compared, same)
    yield* remove("job-old")
    assert.deepStrictEqual(yield* compared, same)
    yield* expireAll(ended, { models, model }, RETENTION_MILLIS)
    assert.deepStrictEqual(yield* dump(model), lines("job-recent", 2 * RETENTION_MILLIS))
    assert.deepStrictEqual(yield* compared, same)

    yield* remove("job-recent")
    assert.deepStrictEqual((yield* compared).missing, lines("job-recent", 2 * RETENTION_MILLIS))
    yield* models.apply(model, {
      after: head,
      upTo: head,
      writes: [{ _tag: "AddMember", set: "ended", member: "job-9", score: 9 }]
    })
    assert.deepStrictEqual((yield* compared).surplus, [`{"member":"job-9","score":9,"set":"ended"}`])
  })
})
