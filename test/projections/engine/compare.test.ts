import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { modelName } from "../../../projections/engine/model-name.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { layerReadModelsEmbedded } from "../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { compare } from "../../../projections/engine/compare.ts"
import { appendEvent } from "../../support/event-fixtures.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { jobs, trail } from "./given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const freshModels = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "fresh.db")
  return Context.get(yield* Layer.build(layerReadModelsEmbedded({ file })), ReadModels)
})

/** Applies the first events of the log to the model. */
const givenProjected = Effect.fnUntraced(function* (projection: typeof jobs, events: number) {
  const log = yield* (yield* EventStore).readAll({ after: beginning, limit: events })
  const writes = log.filter(({ stream }) => stream.startsWith("job-")).flatMap(projection.when)
  const upTo = log.at(-1)?.position ?? beginning
  yield* (yield* ReadModels).apply("jobs.v1", { after: beginning, upTo, writes })
})

const compareWithReplay = Effect.fnUntraced(function* (projection = jobs, retentionMillis = Infinity) {
  const dump = yield* (yield* ReadModels).dump(modelName(projection))
  return yield* compare(projection, yield* freshModels, dump, retentionMillis)
})

const givenLog = Effect.gen(function* () {
  yield* appendEvent("job-1", "Enqueued", { at: 1 })
  yield* appendEvent("job-2", "Enqueued", { at: 2 })
  yield* appendEvent("other-1", "Enqueued", { at: 3 })
  yield* appendEvent("job-1", "Ended")
})

describe("comparing a read model with a replay", () => {
  test("finds no difference at the model's position, for any later events", function* () {
    yield* givenLog
    for (const events of [0, 2, 4]) {
      yield* (yield* ReadModels).clear("jobs.v1", beginning)
      yield* givenProjected(jobs, events)
      const { lines, missing, position, surplus } = yield* compareWithReplay()
      assert.deepStrictEqual({ missing, surplus, at: Number(position.commit) }, {
        missing: [],
        surplus: [],
        at: events
      })
      assert.strictEqual(lines > 0, events > 0)
    }
  })

  test("returns extra and missing lines of the model", function* () {
    yield* givenLog
    yield* givenProjected(jobs, 4)
    const models = yield* ReadModels
    const after = yield* models.checkpoint("jobs.v1")
    yield* models.apply("jobs.v1", {
      after,
      upTo: after,
      writes: [
        { _tag: "RemoveMember", set: "due", member: "job-2" },
        { _tag: "AddMember", set: "due", member: "job-9", score: 9 }
      ]
    })
    const { missing, surplus } = yield* compareWithReplay()
    assert.deepStrictEqual(surplus, [`{"member":"job-9","score":9,"set":"due"}`])
    assert.deepStrictEqual(missing, [`{"member":"job-2","score":2,"set":"due"}`])
  })

  test("replays a log of many pages", function* () {
    for (let n = 0; n < 1_203; n++) yield* appendEvent(`job-${n}`, "Enqueued", { at: n })
    const log = yield* (yield* EventStore).readAll({ after: beginning, limit: 2_000 })
    const writes = log.flatMap(trail.when)
    yield* (yield* ReadModels).apply("trail.v2", {
      after: beginning,
      upTo: { commit: 1_203n, prepare: 1_203n },
      writes
    })
    const { lines, missing, surplus } = yield* compareWithReplay(trail)
    assert.deepStrictEqual({ lines, missing, surplus }, { lines: 1_203, missing: [], surplus: [] })
  })

  test("compares the model at the time of its dump", function* () {
    yield* givenLog
    yield* givenProjected(jobs, 2)
    const models = yield* ReadModels
    const dump = yield* models.dump("jobs.v1")
    yield* models.clear("jobs.v1", beginning)
    yield* givenProjected(jobs, 4)
    const { missing, position, surplus } = yield* compare(jobs, yield* freshModels, dump, Infinity)
    assert.deepStrictEqual({ missing, surplus, at: position.commit }, { missing: [], surplus: [], at: 2n })
  })

  test("fails when the replay makes no progress", function* () {
    yield* givenLog
    yield* givenProjected(jobs, 4)
    const dump = yield* (yield* ReadModels).dump("jobs.v1")
    const stuck = { ...(yield* freshModels), apply: () => Effect.succeed(beginning) }
    assert.strictEqual((yield* Effect.flip(compare(jobs, stuck, dump, Infinity)))._tag, "ReadModelsError")
  })

  test("refuses a model that is ahead of the log", function* () {
    yield* givenLog
    yield* (yield* ReadModels).apply("jobs.v1", { after: beginning, upTo: { commit: 9n, prepare: 9n }, writes: [] })
    assert.strictEqual((yield* Effect.flip(compareWithReplay()))._tag, "AheadOfLog")
  })

  test("fails when the projection can't apply an event", function* () {
    yield* givenLog
    yield* givenProjected(jobs, 4)
    const broken = { ...jobs, when: () => JSON.parse("{") }
    const error = yield* Effect.flip(compareWithReplay(broken))
    assert.strictEqual(error._tag, "PoisonEvent")
  })
})
