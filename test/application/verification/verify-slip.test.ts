import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { satang } from "../../../domain/money.ts"
import { newSlip } from "../../support/client.ts"
import { callerOf, givenVerifier, types } from "../given-verifier.ts"

const shop = callerOf({ quota: 1 })
const otherBranch = callerOf({ branchId: "branch-2", quota: 1 })
const otherService = callerOf({ branchId: "branch-9", serviceId: "service-9", quota: 1 })

const at = Date.parse("2026-11-21T05:00:00.000Z")

describe("verifying a slip", () => {
  it.effect("is charged at the first verification, which is no duplicate and has the bank's data", function* () {
    const { bank, events, verify } = yield* givenVerifier
    yield* TestClock.setTime(at)
    const slip = newSlip()

    const verification = yield* verify(slip.payload, shop, { remark: "order 7", expectedAmount: satang(100_00) })

    assert.isNull(verification.duplicate)
    assert.strictEqual(verification.transfer.transRef, slip.transRef)
    assert.strictEqual(verification.transfer.sender.account.name.th, "สมชาย ใจดี")
    assert.deepInclude(verification, { remark: "order 7", expectedAmount: satang(100_00), isAmountMatched: true })
    const question = { branchId: "branch-1", sendingBank: "004", transRef: slip.transRef, payload: slip.payload }
    assert.deepStrictEqual(bank.questions, [question])
    const [event, ...more] = yield* events
    assert.deepStrictEqual(more, [])
    assert.strictEqual(event?.type, "SlipVerified")
    assert.deepInclude(event?.data, {
      serviceId: "service-1",
      branchId: "branch-1",
      at: "2026-11-21T05:00:00.000Z",
      month: "2026-11",
      charged: true,
      sendingBank: "004",
      amount: 100_00,
      expectedAmount: 100_00,
      isAmountMatched: true,
      gateway: "stub",
      gatewayMillis: 12
    })
  })

  it.effect("is a free duplicate for the same branch, without a call to the bank, also when the quota is used up", function* () {
    const { bank, events, verify } = yield* givenVerifier
    const slip = newSlip()
    yield* TestClock.setTime(at)
    yield* verify(slip.payload, shop)
    assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, shop)))._tag, "QuotaExceeded")
    yield* TestClock.adjust("1 hour")

    const second = yield* verify(slip.payload, shop, { expectedAmount: satang(1) })
    const third = yield* verify(slip.payload, shop)

    assert.deepStrictEqual(
      second.duplicate,
      { firstVerifiedAt: "2026-11-21T05:00:00.000Z", sameBranch: true, count: 2 }
    )
    assert.deepStrictEqual(
      third.duplicate,
      { firstVerifiedAt: "2026-11-21T05:00:00.000Z", sameBranch: true, count: 3 }
    )
    assert.isFalse(second.isAmountMatched)
    assert.isUndefined(third.isAmountMatched)
    assert.strictEqual(third.transfer.sender.account.name.th, "สมชาย ใจดี")
    assert.lengthOf(bank.questions, 1)
    const log = yield* events
    assert.deepStrictEqual(types(log), ["SlipVerified", "SlipVerifiedAgain", "SlipVerifiedAgain"])
    assert.deepStrictEqual(log.map(({ data }) => data["charged"]), [true, false, false])
  })

  it.effect("is a duplicate for another branch of the service, charges it one unit and calls no bank", function* () {
    const { bank, events, verify } = yield* givenVerifier
    const slip = newSlip()
    yield* verify(slip.payload, shop)

    const verification = yield* verify(slip.payload, otherBranch)
    const again = yield* verify(slip.payload, otherBranch)

    assert.deepInclude(verification.duplicate, { sameBranch: false, count: 2 })
    assert.deepInclude(again.duplicate, { sameBranch: false, count: 3 })
    assert.lengthOf(bank.questions, 1)
    assert.deepStrictEqual((yield* events).map(({ data }) => data["charged"]), [true, true, false])
    assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, otherBranch)))._tag, "QuotaExceeded")
  })

  it.effect("is refused for another branch whose quota is used up, and appends nothing", function* () {
    const { events, verify } = yield* givenVerifier
    const slip = newSlip()
    yield* verify(slip.payload, shop)
    yield* verify(newSlip().payload, otherBranch)

    const error = yield* Effect.flip(verify(slip.payload, otherBranch))

    assert.strictEqual(error._tag, "QuotaExceeded")
    assert.lengthOf(yield* events, 2)
  })

  it.effect("is no duplicate for another service, and calls the bank again", function* () {
    const { bank, verify } = yield* givenVerifier
    const slip = newSlip()
    yield* verify(slip.payload, shop)

    const verification = yield* verify(slip.payload, otherService)

    assert.isNull(verification.duplicate)
    assert.lengthOf(bank.questions, 2)
  })

  it.effect("identifies a slip by bank and reference, for any form of its text", function* () {
    const { verify } = yield* givenVerifier
    const slip = newSlip()
    yield* verify(slip.payload, shop)
    const lowerCaseCrc = slip.payload.slice(0, -4) + slip.payload.slice(-4).toLowerCase()

    const again = yield* verify(lowerCaseCrc, shop)
    const otherBank = yield* verify(newSlip({ bank: "014" }).payload, callerOf())

    assert.isNotNull(again.duplicate)
    assert.isNull(otherBank.duplicate)
  })

  it.effect("counts against the month in Bangkok, which begins at midnight there", function* () {
    const { events, verify } = yield* givenVerifier
    yield* TestClock.setTime(Date.parse("2026-11-30T16:59:59.999Z"))
    yield* verify(newSlip().payload, shop)
    assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, shop)))._tag, "QuotaExceeded")

    yield* TestClock.adjust(1)
    yield* verify(newSlip().payload, shop)

    assert.deepStrictEqual((yield* events).map(({ data }) => data["month"]), ["2026-11", "2026-12"])
  })

  it.effect("is refused with a quota of 0, and never with an unlimited quota", function* () {
    const { bank, verify } = yield* givenVerifier
    const error = yield* Effect.flip(verify(newSlip().payload, callerOf({ quota: 0 })))
    assert.strictEqual(error._tag, "QuotaExceeded")
    assert.deepStrictEqual(bank.questions, [])

    const verified = yield* Effect.all(
      Array.from({ length: 20 }, () => verify(newSlip().payload, callerOf())),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(verified, 20)
  })
})
