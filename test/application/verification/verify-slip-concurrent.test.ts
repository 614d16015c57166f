import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { newSlip } from "../../support/client.ts"
import { until, untilDone } from "../../support/advance-clock.ts"
import { callerOf, givenVerifier, transferOf, types } from "../given-verifier.ts"

const Q = 7

const all = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.map(Effect.forEach(effects, Effect.result, { concurrency: "unbounded" }), (results) => ({
    verified: results.filter(Result.isSuccess).map(({ success }) => success),
    refused: results.filter(Result.isFailure).map(({ failure }) => failure)
  }))

const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

describe("concurrent verifications", () => {
  it.effect("of a new slip: exactly one is no duplicate, and the bank is called once", function* () {
    const { bank, events, verify } = yield* givenVerifier
    const { payload } = newSlip()

    const { verified } = yield* all(
      times(50, (index) => verify(payload, callerOf({ branchId: `branch-${index % 5}`, quota: 1 })))
    )

    assert.lengthOf(verified, 50)
    assert.lengthOf(verified.filter(({ duplicate }) => duplicate === null), 1)
    assert.lengthOf(bank.questions, 1)
    const counts = verified.map(({ duplicate }) => duplicate?.count ?? 1).sort((a, b) => a - b)
    assert.deepStrictEqual(counts, times(50, (index) => index + 1))
    assert.lengthOf((yield* events).filter(({ data }) => data["charged"]), 5)
  })

  it.effect("of one slip in two processes: exactly one is no duplicate, each branch is charged once", function* () {
    const { another, bank, events, verify } = yield* givenVerifier
    const slips = times(20, () => newSlip().payload)

    const { refused, verified } = yield* all(
      slips.flatMap((payload) =>
        times(
          6,
          (index) =>
            (index % 2 === 0 ? verify : another)(payload, callerOf({ branchId: `branch-${index % 3}`, quota: 20 }))
        )
      )
    )

    assert.deepStrictEqual(refused, [])
    assert.lengthOf(verified.filter(({ duplicate }) => duplicate === null), 20)
    assert.isAtMost(bank.questions.length, 40)
    const log = yield* events
    assert.lengthOf(log, 120)
    assert.lengthOf(log.filter(({ data }) => data["charged"]), 60)
  })

  it.effect("of ten times the quota: exactly the quota is verified", function* () {
    const { another, events, verify } = yield* givenVerifier
    const shop = callerOf({ quota: Q })

    const { refused, verified } = yield* all(
      times(10 * Q, (index) => (index % 3 === 0 ? another : verify)(newSlip().payload, shop))
    )

    assert.lengthOf(verified, Q)
    assert.deepStrictEqual(new Set(refused.map(({ _tag }) => _tag)), new Set(["QuotaExceeded"]))
    assert.lengthOf(yield* events, Q)
  })

  it.effect("of one slip by one branch with one unit left: all succeed and one is charged", function* () {
    const { events, verify } = yield* givenVerifier
    const { payload } = newSlip()
    const shop = callerOf({ quota: 1 })

    const { refused, verified } = yield* all(times(30, () => verify(payload, shop)))

    assert.deepStrictEqual(refused, [])
    assert.lengthOf(verified, 30)
    assert.lengthOf((yield* events).filter(({ data }) => data["charged"]), 1)
  })

  it.effect("release their units when they fail", function* () {
    const { bank, verify } = yield* givenVerifier
    const found = bank.answer
    const shop = callerOf({ quota: Q })
    bank.answer = () => Effect.succeed({ _tag: "NotFound" })
    yield* all(times(Q, () => verify(newSlip().payload, shop)))
    bank.answer = found

    const { refused, verified } = yield* all(times(2 * Q, () => verify(newSlip().payload, shop)))

    assert.lengthOf(verified, Q)
    assert.lengthOf(refused, Q)
  })

  it.effect("wait for a call to the bank for the same slip, and for no other call", function* () {
    const { bank, verify } = yield* givenVerifier
    const answered = yield* Deferred.make<void>()
    const slow = newSlip()
    bank.answer = (question) =>
      Effect.as(question.transRef === slow.transRef ? Deferred.await(answered) : Effect.void, {
        _tag: "Found" as const,
        transfer: transferOf(question)
      })

    const first = yield* Effect.forkChild(verify(slow.payload))
    const second = yield* Effect.forkChild(verify(slow.payload))
    yield* verify(newSlip().payload)
    assert.isUndefined(first.pollUnsafe())
    assert.isUndefined(second.pollUnsafe())
    yield* Deferred.succeed(answered, undefined)

    assert.isNull((yield* Fiber.join(first)).duplicate)
    assert.isNotNull((yield* Fiber.join(second)).duplicate)
    assert.lengthOf(bank.questions, 2)
  })

  it.effect("of one slip while its bank is unavailable: all fail at once, each with an event, and the bank is called once", function* () {
    const { bank, events, verify } = yield* givenVerifier
    const answered = yield* Deferred.make<void>()
    bank.answer = () =>
      Effect.as(Deferred.await(answered), { _tag: "Unavailable" as const, why: "unavailable", retryAfterSeconds: 5 })
    const { payload } = newSlip()
    const requests = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(Effect.flip(verify(payload))))
    yield* until(Effect.sync(() => bank.questions.length === 1))
    yield* Deferred.succeed(answered, undefined)
    for (const request of requests) assert.strictEqual((yield* Fiber.join(request))._tag, "UpstreamUnavailable")
    assert.lengthOf(bank.questions, 1)
    assert.deepStrictEqual(types(yield* events), Array(3).fill("VerificationFailed"))
  })

  it.effect("wait at most four seconds for another call, and still exactly one is no duplicate", function* () {
    const { bank, events, verify } = yield* givenVerifier
    const stuck = yield* Deferred.make<void>()
    const { payload } = newSlip()
    bank.answer = (question) =>
      Effect.as(bank.questions.length === 1 ? Deferred.await(stuck) : Effect.void, {
        _tag: "Found" as const,
        transfer: transferOf(question)
      })

    const first = yield* Effect.forkChild(verify(payload))
    yield* until(Effect.sync(() => bank.questions.length === 1))
    const second = yield* Effect.forkChild(verify(payload))
    yield* TestClock.adjust("3 seconds")
    assert.isUndefined(second.pollUnsafe())
    yield* untilDone(second)
    yield* Deferred.succeed(stuck, undefined)

    assert.isNull((yield* Fiber.join(second)).duplicate)
    const late = yield* Fiber.join(first)
    assert.deepInclude(late.duplicate, { sameBranch: true, count: 2 })
    const log = yield* events
    assert.deepStrictEqual(types(log), ["SlipVerified", "SlipVerifiedAgain"])
    assert.deepStrictEqual(log.map(({ data }) => data["charged"]), [true, false])
  })
})
