import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Layer, Logger } from "effect"
import { beginning } from "../../../../../domain/events/recorded-event.ts"
import { ReadModels } from "../../../../../ports/read-models.ts"
import { metaKeyOf } from "../../../../../infrastructure/adapters/stores/redis/keys.ts"
import { addMember, at } from "../../../../contracts/read-models-given.ts"
import { type RedisCluster, startRedisCluster } from "../../../../support/redis-cluster.ts"
import type { RedisServer } from "../../../../support/redis-server.ts"
import { eventuallyHolds } from "../../../../support/eventually.ts"
import { onceForFile, readModelsAt } from "./given-redis.ts"

const cluster = onceForFile(startRedisCluster)

const test = it.live.with(() =>
  Layer.unwrap(
    Effect.map(cluster().onAll("FLUSHALL"), () => readModelsAt(cluster().url).pipe(Layer.provide(Logger.layer([]))))
  )
)

describe("a Redis Cluster", () => {
  test("accepts concurrent commands from the start, on all nodes", function* () {
    const models = yield* ReadModels
    const names = Array.from({ length: 60 }, (_, index) => `m${index}`)
    yield* Effect.forEach(
      names,
      (name) => models.apply(name, { after: beginning, upTo: at(1), writes: [addMember("due", name, 1)] }),
      { concurrency: "unbounded" }
    )
    for (const size of yield* cluster().onAll("DBSIZE")) assert.isAbove(Number(size), 0)
    for (const name of names) assert.deepStrictEqual(yield* models.has(name, [{ set: "due", member: name }]), [true])
  })

  test("redirects to the node that a model was moved to", function* () {
    const models = yield* ReadModels
    yield* models.checkpoint(model)
    const slot = Number(
      yield* cluster().nodes[0]?.command("CLUSTER", "KEYSLOT", metaKeyOf(model)) ?? Effect.succeed(0)
    )
    const { from, others } = ownerOf(cluster(), slot)
    const to = others[0]
    const id = String(yield* to?.command("CLUSTER", "MYID") ?? Effect.succeed(""))
    // With the highest epoch its claim wins.
    yield* to?.command("CLUSTER", "BUMPEPOCH") ?? Effect.void
    yield* eventuallyHolds(Effect.map(
      Effect.forEach([to, others[1], from], (node) => assignTo(node, slot, id)),
      (assigned) => assigned.every((isAssigned) => isAssigned)
    ))
    yield* models.apply(model, { after: beginning, upTo: at(1), writes: [] })
    assert.deepStrictEqual(yield* models.checkpoint(model), at(1))
    assert.strictEqual(yield* to?.command("EXISTS", metaKeyOf(model)) ?? Effect.succeed(0), 1)
  })

  test("loses only the models of a killed node, and uses the node again after its restart", function* () {
    const models = yield* ReadModels
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
    const applyTo = (name: string) => models.apply(name, { after: beginning, upTo: at(1), writes: [] })
    for (const name of names) yield* applyTo(name)
    const dying = cluster().nodes[1]
    assert.isDefined(dying)
    yield* dying.stop("SIGKILL")
    const works = (name: string) =>
      Effect.match(models.checkpoint(name), { onSuccess: () => true, onFailure: () => false })
    const working = Effect.map(Effect.forEach(names, works), (all) => all.filter((isWorking) => isWorking).length)
    yield* eventuallyHolds(Effect.map(working, (count) => count < names.length))
    yield* dying.start
    yield* eventuallyHolds(Effect.map(working, (count) => count === names.length))
    const isLost = (name: string) => Effect.map(models.checkpoint(name), ({ commit }) => commit === 0n)
    const lost = yield* Effect.filter(names, isLost)
    assert.isAbove(lost.length, 0)
    assert.isBelow(lost.length, names.length)
    for (const name of lost) assert.deepStrictEqual(yield* applyTo(name), at(1))
  })
})

const model = "moved.v1"

/** The node that owns a slot. Each of the three nodes owns a third of the slots. */
/** Assigns a slot, unless the node says that it is assigned: until all nodes agree, one can give it back. */
const assignTo = Effect.fnUntraced(function* (node: RedisServer | undefined, slot: number, id: string) {
  const line = String(yield* node?.command("CLUSTER", "NODES") ?? Effect.succeed(""))
    .split("\n").find((each) => each.startsWith(id))
  const ranges = line?.split(" ").slice(8).map((range) => range.split("-").map(Number)) ?? []
  const isAssigned = ranges.some(([first = -1, last = first]) => first <= slot && slot <= last)
  if (!isAssigned) yield* node?.command("CLUSTER", "SETSLOT", slot, "NODE", id) ?? Effect.void
  return isAssigned
})

const ownerOf = ({ nodes }: RedisCluster, slot: number) => {
  const index = Math.min(2, Math.floor(slot / 5461))
  const from: RedisServer | undefined = nodes[index]
  return { from, others: nodes.filter((node) => node !== from) }
}
