import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Layer } from "effect"
import { shadowName } from "../../../../../projections/engine/model-name.ts"
import { beginning, type Position } from "../../../../../domain/events/recorded-event.ts"
import { ReadModels, type Write } from "../../../../../ports/read-models.ts"
import { RedisConnection } from "../../../../../infrastructure/adapters/stores/redis/connection.ts"
import { epochKeyOf, keyPrefixOf, metaKeyOf } from "../../../../../infrastructure/adapters/stores/redis/keys.ts"
import { loadScripts } from "../../../../../infrastructure/adapters/stores/redis/scripts.ts"
import { addMember, at, model, setFields } from "../../../../contracts/read-models-given.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { eventuallyHolds } from "../../../../support/eventually.ts"
import { onceForFile, readModelsAt } from "./given-redis.ts"

const server = onceForFile(startRedisServer())
const command = (...words: ReadonlyArray<string | number>) => Effect.suspend(() => server().command(...words))

const test = it.live.with(() =>
  Layer.unwrap(Effect.map(command("FLUSHALL"), () => readModelsAt(server().url, { countedBy: model })))
)

const shadow = shadowName(model)
const prefix = keyPrefixOf(model)
const keys = Effect.map(command("KEYS", `${prefix}*`), (found) => Array.isArray(found) ? found.map(String).sort() : [])

describe("generations of a model", () => {
  test("are deleted key by key after they are replaced", function* () {
    const models = yield* ReadModels
    const writes = Array.from({ length: 900 }, (_, index) => addMember(`set-${index}`, "m", 1))
    yield* apply(model, at(1), writes)
    yield* apply(shadow, at(2), [addMember("due", "j1", 1), setFields("jobs", "j1", {})])
    assert.isAbove((yield* keys).length, 900)
    assert.isTrue(yield* models.promote(model))
    const currentKeys = [":2:names", ":2:s:due", ":2:t:jobs", ":generations", ":meta"].map((key) => prefix + key)
    yield* eventuallyHolds(Effect.map(keys, (found) => found.length === currentKeys.length))
    assert.deepStrictEqual(yield* keys, currentKeys)

    yield* apply(shadow, at(3), writes)
    yield* models.clear(shadow, beginning)
    yield* eventuallyHolds(Effect.map(keys, (found) => found.length === currentKeys.length))
    assert.deepStrictEqual(yield* keys, currentKeys)

    yield* models.clear(model, beginning)
    yield* eventuallyHolds(Effect.map(keys, (found) => found.length === 1))
    assert.deepStrictEqual(yield* keys, [`${prefix}:generations`])
  })

  test("of a killed process are deleted when another process writes", function* () {
    const { run } = yield* RedisConnection
    yield* apply(model, at(1), [addMember("due", "j1", 1)])
    yield* run("clear", loadScripts("models", "clear").clear, [metaKeyOf(model), epochKeyOf(model)], [
      prefix,
      "epoch"
    ])
    assert.include(yield* keys, `${prefix}:garbage`)
    yield* Effect.provide(apply(model, at(1), []), Layer.fresh(readModelsAt(server().url)))
    yield* eventuallyHolds(Effect.map(keys, (found) => !found.includes(`${prefix}:1:s:due`)))
    assert.notInclude(yield* keys, `${prefix}:garbage`)
  })

  test("accept batches of thousands of writes", function* () {
    const models = yield* ReadModels
    const rows = Array.from({ length: 6_000 }, (_, index) => setFields("jobs", `j${index}`, { index, list: [] }))
    yield* apply(model, at(1), rows)
    yield* apply(model, at(2), rows.map(({ _tag, ...row }) => setFields("jobs", "one", row)))
    assert.deepStrictEqual(yield* models.get(model, "jobs", "j5999"), { index: 5_999, list: [] })
    assert.deepInclude(yield* models.get(model, "jobs", "one"), { key: "j5999" })
    assert.lengthOf((yield* models.dump(model)).lines, 6_001)
  })
})

describe("reservations", () => {
  const reserve = (...ids: ReadonlyArray<string>) =>
    Effect.andThen(
      command("SADD", `${prefix}:reserved`, "month"),
      command("ZADD", `${prefix}:open:month`, ...ids.flatMap((id) => [1, id]))
    )
  const open = command("ZRANGE", `${prefix}:open:month`, 0, -1)

  test("are removed when the model counts them", function* () {
    yield* reserve("a", "b")
    yield* apply(model, at(1), [addMember("month", "b", 1), addMember("other", "a", 1)])
    assert.deepStrictEqual(yield* open, ["a"])
    yield* apply(model, at(2), [addMember("month", "b", 2)])
    assert.deepStrictEqual(yield* open, ["a"])
  })

  test("stay while a shadow model counts them, until it is promoted", function* () {
    const models = yield* ReadModels
    yield* reserve("a", "b")
    yield* apply(shadow, at(1), [addMember("month", "a", 1), addMember("other", "b", 1)])
    assert.deepStrictEqual(yield* open, ["a", "b"])
    assert.isTrue(yield* models.promote(model))
    assert.deepStrictEqual(yield* open, ["b"])
  })

  test("are not changed by other models", function* () {
    const own = keyPrefixOf("other")
    yield* command("ZADD", `${own}:open:month`, 1, "a")
    yield* apply("other", at(1), [addMember("month", "a", 1)])
    assert.strictEqual(yield* command("ZCARD", `${own}:open:month`), 1)
  })
})

const apply = Effect.fnUntraced(function* (model: string, upTo: Position, writes: ReadonlyArray<Write>) {
  const models = yield* ReadModels
  const after = yield* models.checkpoint(model)
  assert.deepStrictEqual(yield* models.apply(model, { after, upTo, writes }), upTo)
})
