import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { EventStoreError } from "../../../ports/event-store.ts"
import { satang } from "../../../domain/money.ts"
import { newSlip } from "../../support/client.ts"
import { until, untilDone } from "../../support/advance-clock.ts"
import { givenIntake, slipToEnqueue, unitsLeft } from "../given-intake.ts"
import { callerOf, types } from "../given-verifier.ts"

const at = Date.parse("2026-11-30T18:00:00.000Z")
const appendFails = Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))

const slips = (count: number) => Array.from({ length: count }, () => slipToEnqueue(newSlip().payload))

describe("enqueuing a slip", () => {
  it.effect("appends a job with all its input, sealed, and notifies the worker", function* () {
    const { enqueue, events, notified, sourceOf, jobState } = yield* givenIntake
    yield* TestClock.setTime(at)
    const { payload } = newSlip()
    const slip = slipToEnqueue(payload, {
      remark: "order 7",
      expectedAmount: satang(100_00),
      callbackUrl: "https://shop.example/told"
    })

    yield* enqueue("job-1", slip, callerOf({ quota: 1 }))

    const [event, ...more] = yield* events
    assert.deepStrictEqual([event?.stream, event?.type, more], ["job-job-1", "VerificationEnqueued", []])
    assert.deepInclude(event?.data, {
      jobId: "job-1",
      batchId: null,
      batchIndex: null,
      batchSize: null,
      serviceId: "service-1",
      branchId: "branch-1",
      at: "2026-11-30T18:00:00.000Z",
      month: "2026-12",
      charged: true,
      expectedAmount: 100_00,
      callbackUrl: "https://shop.example/told",
      nextAttemptAt: "2026-11-30T18:00:00.000Z"
    })
    assert.deepStrictEqual(event?.metadata.actor, { kind: "branch", id: "branch-1" })
    const text = JSON.stringify(event?.data)
    for (const secret of [payload, "order 7"]) assert.notInclude(text, secret)
    assert.deepStrictEqual(yield* sourceOf("job-1"), { payload })
    assert.isNotNull((yield* jobState("job-1")).enqueued?.remark)
    assert.deepStrictEqual(notified, [{ process: "verification", lane: "branch-1", jobId: "job-1" }])
  })

  it.effect("calls no bank and fetches no URL, for any payload", function* () {
    const { bank, enqueue, stubs, sourceOf } = yield* givenIntake
    stubs.request = () => Effect.die("a URL must not be fetched")
    yield* enqueue("job-1", slipToEnqueue("not a slip"))
    const url = "https://shop.example/slip.png?token=7"
    yield* enqueue("job-2", slipToEnqueue("", { source: { _tag: "ImageUrl", url } }))

    assert.deepStrictEqual(bank.questions, [])
    assert.deepStrictEqual(yield* sourceOf("job-1"), { payload: "not a slip" })
    assert.deepStrictEqual(yield* sourceOf("job-2"), { url })
  })

  it.effect("uses the default callback URL of the branch when the slip has none, and none without a default", function* () {
    const { enqueue, jobState } = yield* givenIntake
    const caller = callerOf()
    const default_ = { ...caller, branch: { ...caller.branch, webhookUrl: "https://shop.example/default" } }
    yield* enqueue("job-1", slipToEnqueue("x"), default_)
    yield* enqueue("job-2", slipToEnqueue("x", { callbackUrl: "https://shop.example/own" }), default_)
    yield* enqueue("job-3", slipToEnqueue("x"), caller)

    const url = (jobId: string) => Effect.map(jobState(jobId), ({ enqueued }) => enqueued?.callbackUrl)
    assert.strictEqual(yield* url("job-1"), "https://shop.example/default")
    assert.strictEqual(yield* url("job-2"), "https://shop.example/own")
    assert.isNull(yield* url("job-3"))
  })

  it.effect("stores the conditions and the policy as they are at acceptance, and lists accounts only sealed", function* () {
    const { enqueue, events } = yield* givenIntake
    const caller = callerOf()
    const policy = { version: 4, conditions: { amount: { atLeast: satang(5) }, sendingBanks: ["004"] } }
    const judged = { ...caller, branch: { ...caller.branch, policy } }
    const receiver = {
      bankCode: "004",
      bankNumber: "1234567890",
      nameTh: "",
      nameEn: null,
      extraVerify: null
    }
    const conditions = { conditions: { receivers: "listed" }, receivers: [receiver] } as const
    yield* enqueue("job-1", slipToEnqueue("x", { conditions }), judged)
    yield* enqueue("job-2", slipToEnqueue("x"), caller)

    const [first, second] = yield* events
    assert.deepInclude(first?.data, {
      conditions: { amount: { atLeast: 5 }, sendingBanks: ["004"], receivers: "listed" },
      policyVersion: 4
    })
    assert.property(first?.data, "receivers")
    assert.notInclude(JSON.stringify(first?.data), receiver.bankNumber)
    for (const field of ["conditions", "policyVersion", "receivers"]) assert.notProperty(second?.data, field)
  })

  it.effect("counts against the quota before any read model knows the job", function* () {
    const { enqueue, verify } = yield* givenIntake
    const shop = callerOf({ quota: 1 })
    yield* enqueue("job-1", slipToEnqueue("x"), shop)

    assert.strictEqual((yield* Effect.flip(enqueue("job-2", slipToEnqueue("x"), shop)))._tag, "QuotaExceeded")
    assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, shop)))._tag, "QuotaExceeded")
  })

  it.effect("makes one job and charges one unit when an id is repeated", function* () {
    const given = yield* givenIntake
    const slip = slipToEnqueue(newSlip().payload)
    yield* given.enqueue("job-1", slip, callerOf({ quota: 2 }))
    yield* TestClock.adjust("1 minute")
    yield* given.enqueue("job-1", slip, callerOf({ quota: 2 }))

    assert.lengthOf(yield* given.events, 1)
    assert.strictEqual(yield* unitsLeft(given, 2), 1)
  })
})

describe("an enqueue that is repeated after the end of the month", () => {
  it.effect("holds no unit of the new month", function* () {
    const fixture = yield* givenIntake
    yield* TestClock.setTime(Date.parse("2026-11-30T16:59:59.000Z"))
    const caller = callerOf({ quota: 3 })
    const [first, ...others] = slips(3)
    yield* fixture.enqueue("job-1", first ?? slipToEnqueue("x"), caller)
    yield* fixture.enqueueBatch("batch-1", others, caller)

    yield* TestClock.setTime(Date.parse("2026-11-30T17:00:01.000Z"))
    yield* fixture.enqueue("job-1", first ?? slipToEnqueue("x"), caller)
    yield* fixture.enqueueBatch("batch-1", others, caller)

    assert.lengthOf(yield* fixture.events, 3)
    assert.strictEqual(yield* unitsLeft(fixture, 3), 3)
  })
})

describe("a batch", () => {
  it.effect("of 100 slips makes 100 jobs with ids derived from its own", function* () {
    const given = yield* givenIntake
    const jobIds = yield* given.enqueueBatch("batch-1", slips(100), callerOf({ quota: 101 }))

    assert.strictEqual(new Set(jobIds).size, 100)
    const { enqueued } = yield* given.jobState(jobIds[57] ?? "")
    assert.deepInclude(enqueued, { batchId: "batch-1", batchIndex: 57, batchSize: 100, charged: true })
    assert.deepStrictEqual(given.notified.map(({ jobId }) => jobId), jobIds)
    assert.lengthOf(yield* given.events, 100)
    assert.strictEqual(yield* unitsLeft(given, 101), 1)
  })

  it.effect("that exceeds the quota reserves nothing", function* () {
    const given = yield* givenIntake
    yield* given.enqueue("job-1", slipToEnqueue("x"), callerOf({ quota: 5 }))
    const refused = yield* Effect.forkChild(
      Effect.flip(given.enqueueBatch("batch-1", slips(5), callerOf({ quota: 5 })))
    )
    yield* untilDone(refused)
    assert.strictEqual((yield* Fiber.join(refused))._tag, "QuotaExceeded")
    assert.lengthOf(yield* given.events, 1)
    assert.strictEqual(yield* unitsLeft(given, 5), 4)
  })

  it.effect("waits for a unit that another request holds and releases", function* () {
    const { bank, enqueueBatch, events, verify } = yield* givenIntake
    const shop = callerOf({ quota: 5 })
    const answered = yield* Deferred.make<void>()
    bank.answer = () => Effect.as(Deferred.await(answered), { _tag: "NotFound" as const })
    const holder = yield* Effect.forkChild(Effect.exit(verify(newSlip().payload, shop)))
    yield* until(Effect.sync(() => bank.questions.length === 1))
    const fiber = yield* Effect.forkChild(enqueueBatch("batch-1", slips(5), shop), { startImmediately: true })
    assert.deepStrictEqual(yield* events, [])

    yield* Deferred.succeed(answered, undefined)
    yield* Fiber.join(holder)
    yield* untilDone(fiber)

    assert.lengthOf(yield* Fiber.join(fiber), 5)
  })

  it.effect("makes the same jobs when it is repeated and charges nothing more, also when the quota is used up", function* () {
    const given = yield* givenIntake
    const batch = slips(5)
    const first = yield* given.enqueueBatch("batch-1", batch, callerOf({ quota: 5 }))
    assert.deepStrictEqual(yield* given.enqueueBatch("batch-1", batch, callerOf({ quota: 5 })), first)
    assert.lengthOf(yield* given.events, 5)
  })

  it.effect("of an unlimited branch reserves nothing, and its jobs count their units", function* () {
    const { enqueueBatch, events } = yield* givenIntake
    yield* enqueueBatch("batch-1", slips(2), callerOf({ quota: null }))
    assert.deepStrictEqual((yield* events).map(({ data }) => data["charged"]), [true, true])
  })

  it.effect("is accepted as a whole when its caller disconnects during the append", function* () {
    const { enqueueBatch, events, logFaults } = yield* givenIntake
    const appending = yield* Deferred.make<void>()
    const resume = yield* Deferred.make<void>()
    logFaults.before = () => Effect.andThen(Deferred.succeed(appending, undefined), Deferred.await(resume))
    const fiber = yield* Effect.forkChild(enqueueBatch("batch-1", slips(50)))
    yield* Deferred.await(appending)
    const interrupted = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
    yield* Deferred.succeed(resume, undefined)
    yield* Fiber.join(interrupted)
    assert.lengthOf(yield* events, 50)
  })

  it.effect("fails when the log takes only a part, and settles each unit from the log", function* () {
    const given = yield* givenIntake
    let streams = 0
    const refused = new Set<string>()
    given.logFaults.before = (stream) => {
      if (!refused.has(stream) && ++streams > 3) refused.add(stream)
      return refused.has(stream) ? appendFails : Effect.void
    }
    const fiber = yield* Effect.forkChild(
      Effect.flip(given.enqueueBatch("batch-1", slips(10), callerOf({ quota: 10 })))
    )
    yield* untilDone(fiber)
    assert.strictEqual((yield* Fiber.join(fiber))._tag, "EventStoreError")
    assert.lengthOf(given.notified, 3, "appended jobs are notified")
    given.logFaults.before = () => Effect.void
    assert.strictEqual(yield* unitsLeft(given, 10), 0, "the outcome of the others is unknown")

    yield* TestClock.adjust("30 seconds")

    assert.deepStrictEqual(types(yield* given.events), Array(3).fill("VerificationEnqueued"))
    yield* until(Effect.map(unitsLeft(given, 10), (left) => left === 7))
  })
})
