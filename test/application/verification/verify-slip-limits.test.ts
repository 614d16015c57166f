import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { newSlip } from "../../support/client.ts"
import { callerOf, givenVerifierWith, types } from "../given-verifier.ts"

const silom = callerOf({ branchId: "silom" })
const siam = callerOf({ branchId: "siam" })

describe("a branch that has used up its free repeats of the day", () => {
  it.effect("is refused another repeat without an event, and verifies new slips", () =>
    Effect.gen(function* () {
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
    }))
})

describe("a branch that has used up its failures of the day", () => {
  it.effect("is refused instead of a stored failure, and verifies slips that the bank finds", () =>
    Effect.gen(function* () {
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

      yield* verify(newSlip().payload, silom)
      assert.strictEqual((yield* Effect.flip(verify("no slip", siam)))._tag, "NoSlip")
    }))
})
