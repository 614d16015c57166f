import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { UnchargedLimiter } from "../../../ports/uncharged-limiter.ts"
import { newSlip } from "../../support/client.ts"
import { callerOf, givenVerifierWith, type StubBank, types } from "../given-verifier.ts"

const silom = callerOf({ branchId: "silom" })
const siam = callerOf({ branchId: "siam" })

const knowsNoSlip = (bank: StubBank): void => {
  bank.answer = () => Effect.succeed({ _tag: "NotFound" })
}

describe("a branch that has used up its free repeats of the day", () => {
  it.effect("is refused another repeat without an event, and verifies new slips", function* () {
    const { events, verify } = yield* givenVerifierWith({ repeat: 2 })
    const { payload } = newSlip()
    for (let times = 0; times < 3; times++) yield* verify(payload, silom)
    const refused = yield* Effect.flip(verify(payload, silom))
    assert.deepInclude({ ...refused }, {
      _tag: "UnchargedLimitExceeded",
      kind: "repeat",
      retryAfterSeconds: 43_200
    })
    assert.deepStrictEqual(types(yield* events), ["SlipVerified", "SlipVerifiedAgain", "SlipVerifiedAgain"])

    assert.isNull((yield* verify(newSlip().payload, silom)).duplicate)
    for (let times = 0; times < 3; times++) yield* verify(payload, siam)
    yield* TestClock.adjust("12 hours")
    assert.isTrue((yield* verify(payload, silom)).duplicate?.sameBranch)
  })
})

describe("a branch that has used up its failures of the day", () => {
  it.effect("is refused instead of a stored failure", function* () {
    const { events, verify } = yield* givenVerifierWith({ failure: 2 })
    for (let times = 0; times < 2; times++) {
      assert.strictEqual((yield* Effect.flip(verify("no slip", silom)))._tag, "NoSlip")
    }
    const refused = yield* Effect.flip(verify("no slip", silom))
    assert.deepInclude({ ...refused }, {
      _tag: "UnchargedLimitExceeded",
      kind: "failure",
      retryAfterSeconds: 43_200
    })
    assert.lengthOf(yield* events, 2)
    assert.strictEqual((yield* Effect.flip(verify("no slip", siam)))._tag, "NoSlip")
  })

  it.effect("makes the service ask no bank, until the next unit is there", function* () {
    const { bank, events, verify } = yield* givenVerifierWith({ failure: 2 })
    const { answer } = bank
    knowsNoSlip(bank)
    for (let times = 0; times < 2; times++) {
      assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, silom)))._tag, "SlipUnknown")
    }
    bank.answer = answer
    for (let times = 0; times < 3; times++) {
      const refused = yield* Effect.flip(verify(newSlip().payload, silom))
      assert.deepInclude({ ...refused }, { _tag: "UnchargedLimitExceeded", kind: "failure" })
    }
    assert.lengthOf(bank.questions, 2)
    assert.lengthOf(yield* events, 2)

    yield* verify(newSlip().payload, siam)
    yield* TestClock.adjust("12 hours")
    for (let times = 0; times < 3; times++) yield* verify(newSlip().payload, silom)
    knowsNoSlip(bank)
    assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, silom)))._tag, "SlipUnknown")
    assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, silom)))._tag, "UnchargedLimitExceeded")
    assert.lengthOf(bank.questions, 7)
  })

  it.effect("verifies slips that the log has, also when they were taken for new ones", function* () {
    const { bank, stubs, verify } = yield* givenVerifierWith({ failure: 1 })
    const [own, ofSiam] = [newSlip().payload, newSlip().payload]
    yield* verify(own, silom)
    yield* verify(ofSiam, siam)
    yield* Effect.flip(verify("no slip", silom))

    assert.isTrue((yield* verify(own, silom)).duplicate?.sameBranch)
    stubs.novelty = "probably-new"
    assert.isFalse((yield* verify(ofSiam, silom)).duplicate?.sameBranch)
    assert.lengthOf(bank.questions, 2)
  })

  it.effect("asks no bank either when its jobs took the failures, whose schedule goes on", function* () {
    const { attempt, bank, ports, verify } = yield* givenVerifierWith({ failure: 1 })
    yield* Context.get(ports, UnchargedLimiter).owe("failure", "silom")
    assert.strictEqual((yield* Effect.flip(verify(newSlip().payload, silom)))._tag, "UnchargedLimitExceeded")
    assert.lengthOf(bank.questions, 0)

    yield* attempt({
      verificationId: "job-1",
      serviceId: silom.serviceId,
      branchId: silom.branchId,
      month: "2026-11",
      source: { _tag: "Payload", text: newSlip().payload },
      actor: silom.actor,
      correlationId: "request-1"
    })
    assert.lengthOf(bank.questions, 1)
  })
})
