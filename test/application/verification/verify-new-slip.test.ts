import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { EventStoreError } from "../../../ports/event-store.ts"
import { newSlip } from "../../support/client.ts"
import { callerOf, givenVerifier, types } from "../given-verifier.ts"

const shop = callerOf({ quota: 1 })
const otherBranch = callerOf({ branchId: "branch-2", quota: 1 })

/** A verifier that takes every slip for a new one. */
const givenNew = Effect.tap(givenVerifier, ({ stubs }) =>
  Effect.sync(() => {
    stubs.novelty = "probably-new"
  }))

describe("a slip that the read models know", () => {
  it.effect("is refused while its stream is empty: an operator deleted it in the event store", function* () {
    const { events, stubs, verify } = yield* givenVerifier
    stubs.novelty = "known"

    const error = yield* Effect.flip(verify(newSlip().payload, shop))

    assert.deepInclude({ ...error }, { _tag: "EventStoreError", reason: "corrupt" })
    assert.deepStrictEqual(yield* events, [])
  })

  it.effect("is a duplicate as the log says", function* () {
    const { stubs, verify } = yield* givenVerifier
    const { payload } = newSlip()
    yield* verify(payload, shop)
    stubs.novelty = "known"
    assert.deepInclude((yield* verify(payload, shop)).duplicate, { sameBranch: true, count: 2 })
  })
})

describe("a slip that is probably new", () => {
  it.effect("is verified without reading its stream", function* () {
    const { events, logFaults, verify } = yield* givenNew
    logFaults.read = () => Effect.fail(new EventStoreError({ operation: "readStream", reason: "unavailable" }))

    const { duplicate } = yield* verify(newSlip().payload, shop)

    assert.isNull(duplicate)
    assert.deepStrictEqual(types(yield* events), ["SlipVerified"])
  })

  it.effect("is a free duplicate when the branch has verified it, also when the quota is used up", function* () {
    const { events, verify } = yield* givenNew
    const { payload } = newSlip()
    yield* verify(payload, shop)

    const { duplicate, transfer } = yield* verify(payload, shop)

    assert.deepInclude(duplicate, { sameBranch: true, count: 2 })
    assert.strictEqual(transfer.sender.account.name.th, "สมชาย ใจดี")
    assert.deepStrictEqual((yield* events).map(({ data }) => data["charged"]), [true, false])
    assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, shop)))._tag, "QuotaExceeded")
  })

  it.effect("is a duplicate that costs another branch one unit, and returns the unit of a repeat", function* () {
    const { events, verify } = yield* givenNew
    const { payload } = newSlip()
    const twice = callerOf({ branchId: "branch-3", quota: 2 })
    yield* verify(payload, twice)

    assert.deepInclude((yield* verify(payload, otherBranch)).duplicate, { sameBranch: false, count: 2 })
    assert.deepInclude((yield* verify(payload, twice)).duplicate, { sameBranch: true, count: 3 })

    assert.isNull((yield* verify(newSlip().payload, twice)).duplicate)
    assert.deepStrictEqual((yield* events).map(({ data }) => data["charged"]), [true, true, false, true])
    assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, otherBranch)))._tag, "QuotaExceeded")
  })

  it.effect("is a duplicate when it was verified, and the bank does not answer or no longer finds it", function* () {
    const { bank, events, verify } = yield* givenNew
    const { payload } = newSlip()
    yield* verify(payload, shop)
    bank.answer = () => Effect.succeed({ _tag: "NotFound" })

    assert.deepInclude((yield* verify(payload, shop)).duplicate, { count: 2 })
    bank.answer = () => Effect.succeed({ _tag: "Unavailable", why: "it is down", retryAfterSeconds: 7 })
    assert.deepInclude((yield* verify(payload, shop)).duplicate, { count: 3 })

    assert.deepStrictEqual(types(yield* events), ["SlipVerified", "SlipVerifiedAgain", "SlipVerifiedAgain"])
  })

  it.effect("fails as any other slip when the bank does not find it, and is asked once", function* () {
    const { bank, events, verify } = yield* givenNew
    bank.answer = () => Effect.succeed({ _tag: "NotFound" })

    const error = yield* Effect.flip(verify(newSlip().payload, shop))

    assert.strictEqual(error._tag, "SlipUnknown")
    assert.lengthOf(bank.questions, 1)
    assert.deepStrictEqual(types(yield* events), ["VerificationFailed"])
  })

  it.effect("is no duplicate for exactly one of the requests that race in two processes", function* () {
    const { another, events, verify } = yield* givenNew
    const { payload } = newSlip()

    const verified = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => index),
      (index) => (index % 2 === 0 ? verify : another)(payload, callerOf({ branchId: `branch-${index % 4}`, quota: 1 })),
      { concurrency: "unbounded" }
    )

    assert.lengthOf(verified.filter(({ duplicate }) => duplicate === null), 1)
    const counts = verified.map(({ duplicate }) => duplicate?.count ?? 1).sort((a, b) => a - b)
    assert.deepStrictEqual(counts, Array.from({ length: 20 }, (_, index) => index + 1))
    assert.lengthOf((yield* events).filter(({ data }) => data["charged"]), 4)
  })
})
