import { assert, describe, it } from "../../support/it.ts"
import { Context, Data, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  type IdempotentOperation,
  type KeyedRequest,
  runIdempotent
} from "../../../application/events/run-idempotent.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { branchActor } from "../../../domain/actor.ts"
import { isoTime } from "../../../domain/time.ts"
import { Claims, ClaimUnknown } from "../../../ports/claims.ts"
import { EventStore, EventStoreError } from "../../../ports/event-store.ts"
import { layerClaimsMemory } from "../../../infrastructure/adapters/stores/memory/coordination.ts"
import type { Allowances } from "../../../infrastructure/runtime/uncharged-limits.ts"
import { noFaults } from "../../support/faulty-event-store.ts"
import { layerUnchargedLimiterMemory } from "../../support/uncharged-limiter.ts"
import { types } from "../given-verifier.ts"
import { layerPorts } from "../../support/ports.ts"

const keyed: KeyedRequest = {
  actor: branchActor("branch-1"),
  branchId: "branch-1",
  key: "order 7",
  fingerprint: "f-1",
  correlationId: "request-1"
}

class OrderFailed extends Data.TaggedError("OrderFailed")<{ readonly isFinal: boolean }> {}

/** A shop that stores its orders by id. */
const givenWith = Effect.fnUntraced(function* (allowances: Partial<Allowances> = {}) {
  const logFaults = noFaults()
  const ports = yield* Layer.build(layerPorts(logFaults))
  const orders = new Map<string, string>()
  const runs: Array<string> = []
  const shop = {
    order: (id: string): Effect.Effect<string, OrderFailed | EventStoreError> =>
      Effect.sync(() => {
        orders.set(id, `order ${id}`)
        return `order ${id}`
      })
  }
  const operation: IdempotentOperation<string, OrderFailed | EventStoreError, never, never, never> = {
    run: (id) =>
      Effect.suspend(() => {
        runs.push(id)
        return shop.order(id)
      }),
    recall: (id) => Effect.sync(() => orders.get(id)),
    remember: (failure) => {
      if (failure._tag === "EventStoreError") return "unknown"
      return failure.isFinal ? { code: "GONE", message: "It is gone" } : "release"
    }
  }
  /** A separate process: it shares the log and no claims. */
  const process = Effect.map(
    Layer.build(Layer.fresh(Layer.merge(layerClaimsMemory, layerUnchargedLimiterMemory(allowances)))),
    (own) => (change: Partial<KeyedRequest> = {}, claims: Claims["Service"] = Context.get(own, Claims)) =>
      runIdempotent({ ...keyed, ...change }, operation).pipe(
        Effect.provide(ports),
        Effect.provideService(Claims, claims),
        Effect.provide(own)
      )
  )
  const log = EventStore.use((store) => store.readAll({ after: beginning, limit: 1_000 })).pipe(Effect.provide(ports))
  const events = Effect.map(log, types)
  return { send: yield* process, another: yield* process, operation, log, events, orders, runs, shop, logFaults }
})

const given = givenWith()

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => error._tag)

describe("a request with a key", () => {
  it.effect("runs the operation once and replays its outcome", function* () {
    const { another, send, events, runs } = yield* given
    const first = yield* send()
    assert.isFalse(first.isReplayed)
    assert.deepStrictEqual(yield* send(), { ...first, isReplayed: true })
    assert.deepStrictEqual(yield* another(), { ...first, isReplayed: true })
    assert.lengthOf(runs, 1)
    assert.deepStrictEqual(yield* events, ["RequestBegun"])
  })

  it.effect("is refused without an event after too many failures of its branch, and is still replayed", function* () {
    const { events, send, shop } = yield* givenWith({ failure: 2 })
    yield* send()
    const order = shop.order
    shop.order = () => Effect.fail(new OrderFailed({ isFinal: false }))
    for (const key of ["1", "2"]) assert.strictEqual(yield* tagOf(send({ key })), "OrderFailed")
    const before = yield* events
    const refused = yield* Effect.flip(send({ key: "4" }))
    assert.deepInclude({ ...refused }, { _tag: "UnchargedLimitExceeded", retryAfterSeconds: 43_200 })
    assert.deepStrictEqual(yield* events, before)
    assert.isTrue((yield* send()).isReplayed)
    shop.order = order
    assert.isFalse((yield* send({ branchId: "branch-2", key: "4" })).isReplayed)
    yield* TestClock.adjust("12 hours")
    assert.isFalse((yield* send({ key: "4" })).isReplayed)
  })

  it.effect("belongs to its branch", function* () {
    const { send, runs } = yield* given
    yield* send()
    assert.isFalse((yield* send({ branchId: "branch-2" })).isReplayed)
    assert.isFalse((yield* send({ key: "order 8" })).isReplayed)
    assert.lengthOf(new Set(runs), 3)
  })

  it.effect("is replayed when an earlier version began it under another digest of the same content", function* () {
    const { events, send, runs } = yield* given
    const first = yield* send({ fingerprint: "of every field" })
    const again = { fingerprint: "of the fields that are read", formerFingerprint: "of every field" }
    assert.deepStrictEqual(yield* send(again), { ...first, isReplayed: true })
    assert.strictEqual(yield* tagOf(send({ ...again, formerFingerprint: "of others" })), "KeyReused")
    assert.strictEqual(yield* tagOf(send({ fingerprint: "of the fields that are read" })), "KeyReused")
    assert.lengthOf(runs, 1)
    assert.deepStrictEqual(yield* events, ["RequestBegun"])
  })

  it.effect("rejects another request for 24 hours", function* () {
    const { send, runs } = yield* given
    const first = yield* send()
    assert.strictEqual(yield* tagOf(send({ fingerprint: "f-2" })), "KeyReused")
    yield* TestClock.adjust("24 hours")
    const second = yield* send({ fingerprint: "f-2" })
    assert.isFalse(second.isReplayed)
    assert.notStrictEqual(second.value, first.value)
    assert.lengthOf(runs, 2)
  })

  it.effect("runs the operation once while it is in progress", function* () {
    const { send, runs, shop } = yield* given
    const done = yield* Deferred.make<string>()
    shop.order = () => Deferred.await(done)
    const first = yield* Effect.forkChild(send(), { startImmediately: true })
    assert.strictEqual(yield* tagOf(send()), "RequestInProgress")
    assert.strictEqual(yield* tagOf(send({ fingerprint: "f-2" })), "KeyReused")
    yield* Deferred.succeed(done, "order 7")
    assert.deepStrictEqual(yield* Fiber.join(first), { value: "order 7", isReplayed: false })
    assert.lengthOf(runs, 1)
  })

  it.effect("runs under one id when two processes run it at the same time", function* () {
    const { another, send, events, runs } = yield* given
    const [one, other] = yield* Effect.all([send(), another()], { concurrency: 2 })
    assert.strictEqual(one.value, other.value)
    assert.lengthOf(new Set(runs), 1)
    assert.deepStrictEqual(yield* events, ["RequestBegun"])
  })

  it.effect("runs while nothing says who holds the claim, and replays its outcome afterwards", function* () {
    const { send, events, runs } = yield* given
    const unknown = Claims.of({ claim: () => Effect.fail(new ClaimUnknown()), release: () => Effect.void })
    const first = yield* send({}, unknown)
    assert.isFalse(first.isReplayed)
    assert.deepStrictEqual(yield* send(), { value: first.value, isReplayed: true })
    assert.lengthOf(runs, 1)
    assert.deepStrictEqual(yield* events, ["RequestBegun"])
  })

  it.effect("replays a permanent refusal without running the operation", function* () {
    const { send, events, runs, shop } = yield* given
    shop.order = () => Effect.fail(new OrderFailed({ isFinal: true }))
    assert.strictEqual(yield* tagOf(send()), "OrderFailed")
    const again = yield* Effect.flip(send())
    if (again._tag !== "RefusedBefore") return assert.fail(again._tag)
    assert.deepStrictEqual([again.code, again.message], ["GONE", "It is gone"])
    assert.lengthOf(runs, 1)
    assert.deepStrictEqual(yield* events, ["RequestBegun", "RequestRefused"])
  })

  it.effect("releases its key after a temporary failure, also for another request", function* () {
    const { send, orders, runs, shop } = yield* given
    const { order } = shop
    shop.order = () => Effect.fail(new OrderFailed({ isFinal: false }))
    assert.strictEqual(yield* tagOf(send()), "OrderFailed")
    shop.order = order
    assert.isFalse((yield* send({ fingerprint: "f-2" })).isReplayed)
    assert.lengthOf(new Set(runs), 2)
    assert.strictEqual(orders.size, 1)
  })

  it.effect("ends in the log at the time of its outcome", function* () {
    const { log, send, shop } = yield* given
    for (const isFinal of [false, true]) {
      shop.order = () => Effect.andThen(Effect.sleep("5 seconds"), Effect.fail(new OrderFailed({ isFinal })))
      const running = yield* Effect.forkChild(Effect.exit(send()), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(running)
    }
    const [begun, ended, endedAgain] = [isoTime(0), isoTime(5_000), isoTime(10_000)]
    assert.deepStrictEqual((yield* log).map(({ data, metadata, type }) => [type, data["at"], metadata.at]), [
      ["RequestBegun", begun, begun],
      ["RequestReleased", ended, ended],
      ["RequestBegun", ended, ended],
      ["RequestRefused", endedAgain, endedAgain]
    ])
  })

  it.effect("is continued under the same id when its outcome is unknown", function* () {
    const { send, orders, runs, shop } = yield* given
    const { order } = shop
    shop.order = () => Effect.fail(new EventStoreError({ operation: "append", reason: "timeout" }))
    assert.strictEqual(yield* tagOf(send()), "EventStoreError")
    assert.strictEqual(yield* tagOf(send({ fingerprint: "f-2" })), "KeyReused")
    shop.order = order
    yield* send()
    assert.lengthOf(new Set(runs), 1)
    assert.strictEqual(orders.size, 1)
  })

  it.effect("is answered from the log when it was interrupted after the operation", function* () {
    const { another, send, orders, runs, shop } = yield* given
    shop.order = (id) => Effect.andThen(Effect.sync(() => orders.set(id, "done")), Effect.never)
    const first = yield* Effect.forkChild(send(), { startImmediately: true })
    yield* Fiber.interrupt(first)
    assert.deepStrictEqual(yield* send(), { value: "done", isReplayed: true })
    assert.deepStrictEqual(yield* another(), { value: "done", isReplayed: true })
    assert.lengthOf(runs, 1)
  })

  it.effect("does not run while the log can't be read for its key", function* () {
    const { send, runs, logFaults } = yield* given
    logFaults.before = () => Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
    const running = yield* Effect.forkChild(Effect.exit(send()), { startImmediately: true })
    yield* TestClock.adjust("2 seconds")
    assert.isTrue(Exit.isFailure(yield* Fiber.join(running)))
    assert.deepStrictEqual(runs, [])
  })

  it.effect("is answered with its failure, also when the failure can't be stored", function* () {
    const { send, runs, shop, logFaults } = yield* given
    const { order } = shop
    shop.order = () =>
      Effect.suspend(() => {
        logFaults.before = () => Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
        return Effect.fail(new OrderFailed({ isFinal: false }))
      })
    const running = yield* Effect.forkChild(tagOf(send()), { startImmediately: true })
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* Fiber.join(running), "OrderFailed")

    logFaults.before = () => Effect.void
    shop.order = order
    yield* send()
    assert.lengthOf(new Set(runs), 1)
  })
})
