import { assert, describe, it } from "../support/it.ts"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SlipIntake, type SlipToEnqueue } from "../../application/jobs/enqueue-slips.ts"
import { WorkNotifier } from "../../application/processes/work-notifier.ts"
import type { Caller } from "../../application/provisioning/callers.ts"
import { handlesStream } from "../../projections/engine/projection.ts"
import { quotaNaming, quotaProjection } from "../../projections/models/quota.ts"
import { EventStore, EventStoreError } from "../../ports/event-store.ts"
import { Quota } from "../../ports/quota.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { layerQuotaRedis } from "../../infrastructure/adapters/stores/redis/quota.ts"
import { layerReadModelsRedis } from "../../infrastructure/adapters/stores/redis/read-models.ts"
import { slipToEnqueue } from "../application/given-intake.ts"
import { callerOf, givenVerifier } from "../application/given-verifier.ts"
import { patientConnection } from "../infrastructure/adapters/stores/redis/given-redis.ts"
import { untilDone } from "../support/advance-clock.ts"
import { newSlip } from "../support/client.ts"
import { startRedisServer } from "../support/redis-server.ts"

const slips = (count: number) => Array.from({ length: count }, () => slipToEnqueue(newSlip().payload))

/** The log of `givenVerifier`, and processes that share it and one Redis. */
const givenProcesses = Effect.gen(function* () {
  const { events, logFaults, ports } = yield* givenVerifier
  const redis = yield* startRedisServer()
  const startProcess = Effect.gen(function* () {
    const engines = yield* layerQuotaRedis({ ...quotaNaming, gracePeriod: 1 }).pipe(
      Layer.provideMerge(layerReadModelsRedis({ countedBy: quotaNaming.model })),
      Layer.provide(patientConnection(redis.url)),
      Layer.provide(Layer.succeed(EventStore, Context.get(ports, EventStore))),
      Layer.fresh,
      Layer.build
    )
    const { enqueueBatch } = yield* Layer.fresh(SlipIntake.layer).pipe(
      Layer.provide(Layer.succeedContext(
        ports.pipe(Context.add(Quota, Context.get(engines, Quota)), Context.add(WorkNotifier, () => Effect.void))
      )),
      Layer.build,
      Effect.map((context) => Context.get(context, SlipIntake))
    )
    const models = Context.get(engines, ReadModels)
    const project = Effect.gen(function* () {
      const recorded = yield* events
      const upTo = recorded.at(-1)?.position
      if (upTo === undefined) return
      const writes = recorded.filter(({ stream }) => handlesStream(quotaProjection, stream)).flatMap(
        quotaProjection.when
      )
      yield* models.apply(quotaNaming.model, { after: yield* models.checkpoint(quotaNaming.model), upTo, writes })
    })
    return {
      project,
      enqueueBatch: (batchId: string, batch: ReadonlyArray<SlipToEnqueue>, caller: Caller) =>
        enqueueBatch({ batchId, slips: batch, caller, correlationId: "request-1" })
    }
  })
  return { events, logFaults, redis, one: yield* startProcess, other: yield* startProcess }
})

/** Waits in real time, while the test clock stands still. */
const untilHolds = (condition: () => boolean) =>
  Effect.promise(async () => {
    while (!condition()) await new Promise((resume) => setTimeout(resume, 1))
  })

const runToEnd = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* untilDone(fiber)
    return yield* Fiber.join(fiber)
  })

const appendFails = Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))

/** An append takes this long. A part of the next ones starts in the first second, the others need a confirmation. */
const APPEND_MILLIS = 900

/** The grace period after a loss. Redis uses its own clock, so the test clock stands for this time. */
const GRACE_MILLIS = 2_500

describe("a batch of 100 on a slow log, when Redis loses its reservations in the middle", () => {
  it.effect("charges no more than the quota, continues under its ids, and does not delay another branch", function* () {
    const { events, logFaults, one, other, redis } = yield* givenProcesses
    const shop = callerOf({ branchId: "branch-1", quota: 100 })
    const batch = slips(100)
    let isSlow = true
    let started = 0
    logFaults.before = () =>
      isSlow ? Effect.andThen(Effect.sync(() => started++), Effect.sleep(APPEND_MILLIS)) : Effect.void

    const accepting = yield* Effect.forkChild(Effect.flip(one.enqueueBatch("batch-1", batch, shop)))
    yield* untilHolds(() => started === 25)
    yield* redis.command("FLUSHALL")
    isSlow = false
    const stranger = callerOf({ branchId: "branch-2", quota: null })
    assert.lengthOf(yield* other.enqueueBatch("batch-of-another-branch", slips(2), stranger), 2)
    isSlow = true
    yield* TestClock.adjust(APPEND_MILLIS)
    yield* untilHolds(() => started === 50)
    yield* TestClock.adjust(GRACE_MILLIS - APPEND_MILLIS)
    assert.include(yield* Fiber.join(accepting), { _tag: "QuotaError", reason: "held-too-long" })

    isSlow = false
    yield* other.project
    const refused = yield* runToEnd(Effect.flip(other.enqueueBatch("batch-2", slips(51), shop)))
    assert.strictEqual(refused._tag, "QuotaExceeded", "50 of 100 units are charged")
    yield* runToEnd(one.enqueueBatch("batch-1", batch, shop))
    const ofShop = (yield* events).filter(({ data }) => data["branchId"] === "branch-1")
    assert.lengthOf(ofShop, 100)
    yield* other.project
    assert.strictEqual(
      (yield* runToEnd(Effect.flip(other.enqueueBatch("batch-3", slips(2), shop))))._tag,
      "QuotaExceeded"
    )
  })
})

describe("a batch whose first job the log did not take", () => {
  it.effect("is completed when it is repeated, although its other jobs use up the quota", function* () {
    const { events, logFaults, one } = yield* givenProcesses
    const shop = callerOf({ quota: 5 })
    const batch = slips(5)
    let first: string | undefined
    logFaults.before = (stream) => stream === (first ??= stream) ? appendFails : Effect.void
    const failure = yield* runToEnd(Effect.flip(one.enqueueBatch("batch-1", batch, shop)))
    assert.strictEqual(failure._tag, "EventStoreError")
    assert.lengthOf(yield* events, 4)

    logFaults.before = () => Effect.void
    yield* one.project
    yield* runToEnd(one.enqueueBatch("batch-1", batch, shop))
    assert.lengthOf(yield* events, 5)
  })
})
