import { assert, describe, it } from "../../support/it.ts"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { OrderedSet } from "../../../projections/engine/read-model.ts"
import { TestClock } from "effect/testing"
import { type Member, ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { type DriverOptions, makeDriver, type ProcessDefinition } from "../../../application/processes/driver.ts"
import { makeLimiter } from "../../../application/processes/limiter.ts"
import type { Step } from "../../../application/processes/step.ts"
import { layerClaimsMemory } from "../../../infrastructure/adapters/stores/memory/coordination.ts"
import { laneMember } from "../../../projections/engine/lane-member.ts"
import { until } from "../../support/advance-clock.ts"

/**
 * A process whose due index is a list that the test fills. An entry stays in the index after its work is done, as if
 * the projection had stopped.
 */
const given = Effect.gen(function* () {
  const index: Array<Member> = []
  const done: Array<string> = []
  const loads: Array<string> = []
  const stub = {
    indexFailure: undefined as ReadModelsError["reason"] | undefined,
    load: (_: string): Effect.Effect<void, unknown> => Effect.void,
    perform: (_: string): Effect.Effect<void, unknown> => Effect.void
  }
  const models = Layer.mock(ReadModels, {
    members: (_, __, { after, from = -Infinity, limit = Infinity, to = Infinity } = {}) =>
      Effect.suspend(() =>
        stub.indexFailure !== undefined
          ? Effect.fail(new ReadModelsError({ operation: "members", reason: stub.indexFailure }))
          : Effect.succeed(
            index.toSorted((one, other) => one.score - other.score || (one.member < other.member ? -1 : 1))
              .filter(({ member, score }) =>
                score >= from && score <= to && (after === undefined
                  || score > after.score || score === after.score && member > after.member)
              )
              .slice(0, limit)
          )
      )
  })
  /** The id of a job begins with its lane. */
  const work: ProcessDefinition<Step | undefined, Step, never> = {
    name: "verification",
    dueIndex: new OrderedSet({ name: "m", version: 1 }, "due"),
    load: (id) =>
      Effect.suspend(() => {
        loads.push(id)
        const dueAt = index.find(({ member }) => member === memberOf(id))?.score
        return Effect.as(
          stub.load(id),
          dueAt === undefined || done.includes(id) ? undefined : { jobId: id, dueAt, attempt: 1, retry: 1 }
        )
      }),
    resume: (task) => task,
    limiter: makeLimiter({ total: 8, perLane: 3 }),
    maxWaitMillis: 86_400_000,
    claimMillis: 10_000,
    perform: ({ jobId: id }) => Effect.andThen(stub.perform(id), Effect.sync(() => void done.push(id)))
  }
  const engines = yield* Layer.build(Layer.merge(models, Layer.fresh(layerClaimsMemory)))
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => void logged.push(message))
  return {
    index,
    done,
    loads,
    logged,
    stub,
    add: (id: string, score = 0) => void index.push({ member: memberOf(id), score }),
    start: Effect.fnUntraced(function* (options: Partial<DriverOptions> = {}) {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const driver = yield* makeDriver(work, { idleMillis: 200, drainMillis: 0, ...options }).pipe(
        Effect.provideContext(engines),
        Effect.provide(Logger.layer([logger])),
        Scope.provide(scope)
      )
      return { ...driver, stop: Scope.close(scope, Exit.void) }
    })
  }
})

const memberOf = (id: string) => laneMember(id.split("/")[0] ?? "", id)

const names = (lane: string, count: number) => Array.from({ length: count }, (_, n) => `${lane}/${n}`)

/** Runs all fibers that do not wait for the clock. */
const turns = Effect.promise(async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resume) => setTimeout(resume, 0))
})

describe("a driver", () => {
  it.effect("starts a step when it is due", function* () {
    const { add, done, start } = yield* given
    add("a/now")
    add("a/later", 60_010)
    yield* start({ idleMillis: 3_600_000 })

    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(done, ["a/now"])
    yield* until(Effect.sync(() => done.length === 2))
    assert.isBelow(yield* Clock.currentTimeMillis, 60_200)
  })

  it.effect("runs each step once with several drivers, although the index still has it", function* () {
    const { add, done, stub, start } = yield* given
    stub.perform = () => Effect.sleep("100 millis")
    const all = ["a", "b", "c", "d"].flatMap((lane) => names(lane, 30))
    for (const name of all) add(name)

    for (let n = 0; n < 3; n++) yield* start()
    yield* until(Effect.sync(() => done.length >= all.length))
    yield* TestClock.adjust("1 minute")

    assert.deepStrictEqual(done.toSorted(), all.toSorted())
  })

  it.effect("backs off from entries of the index that are not due", function* () {
    const { add, done, loads, start } = yield* given
    add("a/0")
    yield* start()

    yield* until(Effect.map(Clock.currentTimeMillis, (now) => now > 60_000))

    assert.deepStrictEqual(done, ["a/0"])
    assert.isAtLeast(loads.length, 5)
    assert.isBelow(loads.length, 25)
  })

  it.effect("gives each lane its capacity and no more, in turn", function* () {
    const { add, done, stub, start } = yield* given
    let running = new Set<string>()
    stub.perform = (id) => {
      running = new Set([...running, id])
      return id.startsWith("slow") ? Effect.never : Effect.void
    }
    for (const name of names("slow", 50)) add(name)
    for (const name of names("quick", 50)) add(name)
    yield* start()

    yield* until(Effect.sync(() => done.length === 50))

    assert.isTrue(done.every((id) => id.startsWith("quick")))
    assert.strictEqual(Array.from(running).filter((id) => id.startsWith("slow")).length, 3)
  })

  it.effect("starts the next step of a lane when a slot becomes free", function* () {
    const { add, done, stub, start } = yield* given
    stub.perform = () => Effect.promise(() => new Promise<void>((resume) => setTimeout(resume, 0)))
    for (const name of names("a", 12)) add(name)
    yield* start()

    yield* turns

    assert.deepStrictEqual(done, names("a", 12).toSorted())
    assert.strictEqual(yield* Clock.currentTimeMillis, 0, "the clock did not advance")
  })

  it.effect("starts notified work at once, and again when it is notified during the step", function* () {
    const { done, stub, index, start } = yield* given
    const first = yield* Deferred.make<never, string>()
    let times = 0
    stub.perform = () => ++times === 1 ? Deferred.await(first) : Effect.void
    const { notify } = yield* start({ idleMillis: 3_600_000 })
    yield* TestClock.adjust("1 second")

    index.push({ member: memberOf("a/0"), score: 0 })
    yield* notify([{ jobId: "a/0", lane: "a" }])
    yield* turns
    assert.strictEqual(times, 1)
    yield* notify([{ jobId: "a/0", lane: "a" }])
    yield* Deferred.fail(first, "found nothing")
    yield* turns

    assert.deepStrictEqual([times, done], [2, ["a/0"]])
    assert.strictEqual(yield* Clock.currentTimeMillis, 1_000, "the clock did not advance")
  })

  it.effect("survives any failure of one job, and retries it", function* () {
    const { add, done, stub, start } = yield* given
    let isBroken = true
    const broken: Readonly<Record<string, Effect.Effect<void, unknown>>> = {
      "load/fails": Effect.fail("the store is unavailable"),
      "load/dies": Effect.die("an event of a later version"),
      "perform/fails": Effect.fail("the store is unavailable"),
      "perform/dies": Effect.die("a fault of this program"),
      "perform/hangs": Effect.never
    }
    const logFaults = (id: string) => isBroken ? broken[id] ?? Effect.void : Effect.void
    stub.load = (id) => id.startsWith("load") ? logFaults(id) : Effect.void
    stub.perform = (id) => id.startsWith("perform") ? logFaults(id) : Effect.void
    for (const name of [...Object.keys(broken), ...names("good", 10)]) add(name)
    yield* start()

    yield* until(Effect.sync(() => done.length === 10))
    assert.isTrue(done.every((id) => id.startsWith("good")))
    isBroken = false
    yield* until(Effect.sync(() => done.length === 15))
  })

  it.effect.each([["unavailable", 2], ["behind", 0]] as const)(
    "waits while the index is %s, and logs only what operators must repair",
    function* ([reason, lines]) {
      const { add, done, logged, stub, start } = yield* given
      stub.indexFailure = reason
      add("a/0")
      yield* start()
      yield* TestClock.adjust("10 seconds")

      stub.indexFailure = undefined

      yield* until(Effect.sync(() => done.length === 1))
      assert.lengthOf(logged, lines)
    }
  )

  it.effect("waits a limited time for running steps when it is stopped, and starts no more", function* () {
    const { add, done, stub, start } = yield* given
    let begun = 0
    stub.perform = (id) =>
      Effect.andThen(Effect.sync(() => void begun++), id === "slow/0" ? Effect.never : Effect.sleep("1 second"))
    for (const name of ["slow/0", ...names("a", 10)]) add(name)
    const { stop } = yield* start({ drainMillis: 3_000 })
    yield* until(Effect.sync(() => begun === 4))

    const stopping = yield* Effect.forkChild(stop)
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual([done.length, begun, stopping.pollUnsafe()], [3, 4, undefined])
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(stopping)

    assert.deepStrictEqual([done.length, begun], [3, 4])
  })
})
