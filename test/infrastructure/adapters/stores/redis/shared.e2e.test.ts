import { assert, type Body, describe, effectOf, it } from "../../../../support/it.ts"
import { Effect, Fiber } from "effect"
import { beginning } from "../../../../../domain/events/recorded-event.ts"
import type { ReadModels } from "../../../../../ports/read-models.ts"
import { metaKeyOf } from "../../../../../infrastructure/adapters/stores/redis/keys.ts"
import { addMember, at, model, setFields } from "../../../../contracts/read-models-given.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { onceForFile, twoReadModelsAt } from "./given-redis.ts"

type Models = ReadModels["Service"]

const server = onceForFile(startRedisServer())

const test = (title: string, body: Body<never, [Models, Models]>) =>
  it.live(title, function* () {
    yield* server().command("FLUSHALL")
    const [one, other] = yield* twoReadModelsAt(server().url)
    yield* effectOf(body, one, other)
  })

describe("read models that processes share", () => {
  test("apply a batch of two concurrent projectors once", function* (one, other) {
    const batch = (id: string) => ({ after: beginning, upTo: at(1), writes: [addMember("due", id, 1)] })
    yield* Effect.all([one.apply(model, batch("a")), other.apply(model, batch("b"))], { concurrency: 2 })
    assert.strictEqual(yield* one.count(model, "due"), 1)
    assert.deepStrictEqual(yield* one.members(model, "due"), yield* other.members(model, "due"))
  })

  test("wake a process that waits for a position when another process applies it", function* (one, other) {
    const waiter = yield* Effect.forkChild(one.awaitPosition(model, at(2), 10_000))
    yield* other.apply(model, { after: beginning, upTo: at(2), writes: [] })
    yield* Fiber.join(waiter)
  })

  test(
    "are not readable in a process that saw a later state, even after another process cleared them",
    function* (one, other) {
      const writes = [addMember("due", "j1", 1)]
      yield* one.apply(model, { after: beginning, upTo: at(4), writes })
      assert.deepStrictEqual(yield* other.has(model, [{ set: "due", member: "j1" }]), [true])
      yield* one.clear(model, beginning)
      assert.deepStrictEqual(yield* one.has(model, [{ set: "due", member: "j1" }]), [false])
      assert.propertyVal(yield* Effect.flip(other.has(model, [{ set: "due", member: "j1" }])), "reason", "behind")
      yield* one.apply(model, { after: beginning, upTo: at(4), writes })
      assert.deepStrictEqual(yield* other.has(model, [{ set: "due", member: "j1" }]), [true])
    }
  )

  test("are dumped as a consistent snapshot while another process writes", function* (one, other) {
    let isDone = false
    const writer = yield* Effect.forkChild(Effect.gen(function* () {
      for (let n = 0; !isDone; n++) {
        const writes = [
          addMember("due", `j${n}`, n),
          addMember(`set-${n}`, "m", n),
          setFields("jobs", "last", { n })
        ]
        yield* other.apply(model, { after: at(n), upTo: at(n + 1), writes })
      }
    }))
    for (let dumps = 0, lines = 0; dumps < 20 || lines < 100; dumps++) {
      const dump = yield* one.dump(model)
      lines = dump.lines.length
      assert.strictEqual(lines, dump.checkpoint.commit === 0n ? 0 : Number(dump.checkpoint.commit) * 2 + 1)
    }
    isDone = true
    yield* Fiber.join(writer)
  })

  test("are dumped by one process at a time", function* (one, other) {
    const writes = Array.from({ length: 3_000 }, (_, index) => setFields("jobs", `j${index}`, { index }))
    yield* one.apply(model, { after: beginning, upTo: at(1), writes })
    const dumps = yield* Effect.forEach([one, other, one], ({ dump }) => dump(model), { concurrency: 3 })
    for (const { lines } of dumps) assert.lengthOf(lines, 3_000)
  })

  test("accept writes again when the dumping process has died", function* (one) {
    yield* one.apply(model, { after: beginning, upTo: at(1), writes: [] })
    const [seconds] = yield* Effect.map(server().command("TIME"), (time) => Array.isArray(time) ? time : [])
    yield* server().command("HSET", metaKeyOf(model), "holder", "dead", "hold", (Number(seconds) + 1) * 1_000)
    assert.deepStrictEqual(yield* one.apply(model, { after: at(1), upTo: at(2), writes: [] }), at(2))
    assert.strictEqual(yield* server().command("HEXISTS", metaKeyOf(model), "holder"), 0)
  })

  test("accept writes immediately after an interrupted dump", function* (one, other) {
    const writes = Array.from({ length: 5_000 }, (_, index) => setFields("jobs", `j${index}`, { index }))
    yield* one.apply(model, { after: beginning, upTo: at(1), writes })
    const dump = yield* Effect.forkChild(other.dump(model))
    yield* Effect.repeat(server().command("HEXISTS", metaKeyOf(model), "hold"), { until: (held) => held === 1 })
    yield* Fiber.interrupt(dump)
    assert.strictEqual(yield* server().command("HEXISTS", metaKeyOf(model), "hold"), 0)
  })
})
