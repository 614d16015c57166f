import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { EventStoreError } from "../../../ports/event-store.ts"
import { newSlip } from "../../support/client.ts"
import { until, untilDone } from "../../support/advance-clock.ts"
import { callerOf, givenVerifier, transferOf } from "../given-verifier.ts"

const shop = callerOf({ quota: 1 })

const appendFails = (reason: "unavailable" | "timeout") =>
  Effect.fail(new EventStoreError({ operation: "append", reason }))

/** Whether the branch has quota for one more slip. It charges a unit if so. */
const hasUnitLeft = ({ verify }: Effect.Success<typeof givenVerifier>) =>
  Effect.map(Effect.exit(verify(newSlip().payload, shop)), Exit.isSuccess)

describe("a verification whose client disconnects", () => {
  it.effect("releases its unit and appends nothing before the bank has answered", function* () {
    const given = yield* givenVerifier
    const { bank, events, verify } = given
    const found = bank.answer
    bank.answer = () => Effect.never
    const fiber = yield* Effect.forkChild(verify(newSlip().payload, shop))
    yield* until(Effect.sync(() => bank.questions.length === 1))
    assert.isFalse(yield* hasUnitLeft(given))

    yield* Fiber.interrupt(fiber)

    assert.deepStrictEqual(yield* events, [])
    bank.answer = found
    assert.isTrue(yield* hasUnitLeft(given))
  })

  it.effect("does not affect the call that it waits for, nor other waiters", function* () {
    const { bank, verify } = yield* givenVerifier
    const answered = yield* Deferred.make<void>()
    const { payload } = newSlip()
    bank.answer = (question) =>
      Effect.as(Deferred.await(answered), { _tag: "Found" as const, transfer: transferOf(question) })
    const [first, interrupted, third] = yield* Effect.all([
      Effect.forkChild(verify(payload, shop), { startImmediately: true }),
      Effect.forkChild(verify(payload, shop), { startImmediately: true }),
      Effect.forkChild(verify(payload, shop), { startImmediately: true })
    ])
    yield* until(Effect.sync(() => bank.questions.length === 1))

    yield* Fiber.interrupt(interrupted)
    yield* Deferred.succeed(answered, undefined)

    assert.isNull((yield* Fiber.join(first)).duplicate)
    assert.deepInclude((yield* Fiber.join(third)).duplicate, { count: 2 })
  })

  it.effect("completes when the append has begun: it is in the log, charged, and a duplicate when repeated", function* () {
    const given = yield* givenVerifier
    const { bank, events, logFaults, verify } = given
    const appending = yield* Deferred.make<void>()
    const resume = yield* Deferred.make<void>()
    logFaults.before = () => Effect.andThen(Deferred.succeed(appending, undefined), Deferred.await(resume))
    const { payload } = newSlip()
    const fiber = yield* Effect.forkChild(verify(payload, shop))
    yield* Deferred.await(appending)

    const interrupted = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
    yield* Deferred.succeed(resume, undefined)
    yield* Fiber.join(interrupted)

    assert.lengthOf(yield* events, 1)
    assert.isFalse(yield* hasUnitLeft(given))
    assert.deepInclude((yield* verify(payload, shop)).duplicate, { sameBranch: true, count: 2 })
    assert.lengthOf(bank.questions, 1)
  })
})

describe("a verification during a failure of the log", () => {
  it.effect("succeeds once after a short failure", function* () {
    const { events, logFaults, verify } = yield* givenVerifier
    let faults = 3
    logFaults.before = () => faults-- > 0 ? appendFails("unavailable") : Effect.void
    const fiber = yield* Effect.forkChild(verify(newSlip().payload, shop))
    yield* untilDone(fiber)

    assert.isNull((yield* Fiber.join(fiber)).duplicate)
    assert.lengthOf(yield* events, 1)
  })

  it.effect("is answered as the first one when the failed append was committed, and is in the log once", function* () {
    const { events, logFaults, verify } = yield* givenVerifier
    let faults = 2
    logFaults.after = (appended) => faults-- > 0 ? appendFails("timeout") : Effect.succeed(appended)
    const fiber = yield* Effect.forkChild(verify(newSlip().payload, shop))
    yield* untilDone(fiber)

    assert.isNull((yield* Fiber.join(fiber)).duplicate)
    assert.lengthOf(yield* events, 1)
  })

  it.effect("fails when the log stays unavailable, and holds its unit until the log shows that nothing was charged", function* () {
    const given = yield* givenVerifier
    const { events, logFaults, verify } = given
    logFaults.before = () => appendFails("unavailable")
    const fiber = yield* Effect.forkChild(Effect.flip(verify(newSlip().payload, shop)))
    yield* untilDone(fiber)
    assert.strictEqual((yield* Fiber.join(fiber))._tag, "EventStoreError")
    logFaults.before = () => Effect.void
    assert.isFalse(yield* hasUnitLeft(given), "the outcome of the append is unknown")

    yield* TestClock.adjust("30 seconds")

    assert.deepStrictEqual(yield* events, [])
    assert.isTrue(yield* hasUnitLeft(given))
  })

  it.effect("fails when the log stays unavailable after a committed append, stays charged, and its repeat is free", function* () {
    const given = yield* givenVerifier
    const { events, logFaults, verify } = given
    logFaults.after = () => appendFails("timeout")
    const { payload } = newSlip()
    const fiber = yield* Effect.forkChild(Effect.flip(verify(payload, shop)))
    yield* untilDone(fiber)
    logFaults.after = Effect.succeed

    yield* TestClock.adjust("10 minutes")

    assert.lengthOf(yield* events, 1)
    assert.isFalse(yield* hasUnitLeft(given))
    assert.deepInclude((yield* verify(payload, shop)).duplicate, { sameBranch: true, count: 2 })
  })

  it.effect("releases its unit when the committed append was not charged", function* () {
    const given = yield* givenVerifier
    const { another, events, logFaults, verify } = given
    const { payload } = newSlip()
    const rival = callerOf({ quota: 2 })
    // Between load and append another process verifies the slip for the same branch. The append is then not charged.
    let raced = false
    logFaults.before = () =>
      Effect.suspend(() => {
        if (raced) return Effect.void
        raced = true
        logFaults.after = Effect.succeed
        return Effect.andThen(
          Effect.ignore(another(payload, rival)),
          Effect.sync(() => {
            logFaults.after = () => appendFails("timeout")
          })
        )
      })
    const fiber = yield* Effect.forkChild(Effect.flip(verify(payload, rival)))
    yield* untilDone(fiber)
    logFaults.after = Effect.succeed
    assert.deepStrictEqual((yield* events).map(({ data }) => data["charged"]), [true, false])

    yield* TestClock.adjust("30 seconds")

    assert.isTrue(Exit.isSuccess(yield* Effect.exit(verify(newSlip().payload, rival))), "one of two units is left")
  })

  it.effect("is decided again when another process appends the same slip", function* () {
    const { another, events, logFaults, verify } = yield* givenVerifier
    const { payload } = newSlip()
    let raced = false
    logFaults.before = () =>
      Effect.suspend(() => {
        if (raced) return Effect.void
        raced = true
        return Effect.orDie(Effect.asVoid(another(payload, callerOf({ branchId: "branch-2", quota: 1 }))))
      })

    const verification = yield* verify(payload, shop)

    assert.deepInclude(verification.duplicate, { sameBranch: false, count: 2 })
    assert.deepStrictEqual((yield* events).map(({ data }) => [data["branchId"], data["charged"]]), [
      ["branch-2", true],
      ["branch-1", true]
    ])
  })
})
