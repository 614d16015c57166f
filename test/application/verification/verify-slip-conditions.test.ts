import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { judgingConditions, type RequestedConditions } from "../../../application/verification/conditions.ts"
import { verifyBankData } from "../../../application/verification/verification-view.ts"
import { satang } from "../../../domain/money.ts"
import type { Conditions, Policy } from "../../../domain/slip/conditions.ts"
import { newSlip } from "../../support/client.ts"
import { callerOf, givenVerifier } from "../given-verifier.ts"
import { branchActor } from "../../../domain/actor.ts"

/** Noon in Bangkok, when the transfers of `givenVerifier` were made. */
const noon = Date.parse("2026-11-21T05:00:00.000Z")

const requested = (conditions: Conditions, receivers: RequestedConditions["receivers"] = []): RequestedConditions => ({
  conditions,
  receivers
})

/** The conditions of a request to a branch with this policy. */
const judged = (conditions: RequestedConditions | undefined, policy: Policy | null = null) =>
  judgingConditions(policy, { conditions })

const phone = { bankCode: "PROMPTPAY", bankNumber: "0819991234", nameTh: "", nameEn: null, extraVerify: "MSISDN" }

const policy: Policy = {
  version: 3,
  conditions: { amount: { atLeast: satang(50_00) }, transferredAt: { withinMinutes: 10 } }
}

describe("the conditions of a request", () => {
  const conditionsOf = (...parameters: Parameters<typeof judgingConditions>) =>
    judgingConditions(...parameters).judging?.conditions

  it("are none without conditions and without a policy", () => {
    const accounts = { bankCode: "004", extraVerify: undefined }
    const plain = { accounts, expectedAmount: satang(1) }
    assert.deepStrictEqual(judgingConditions(null, plain), { judging: undefined, accounts })
  })

  it("replace the policy field by field", () => {
    assert.deepStrictEqual(
      conditionsOf(policy, { conditions: requested({ amount: { equals: satang(1) }, duplicate: "allow" }) }),
      { amount: { equals: satang(1) }, transferredAt: { withinMinutes: 10 }, duplicate: "allow" }
    )
  })

  it("include matchAmount and matchAccount, which replace the policy and not the request's own conditions", () => {
    const demanded = { expectedAmount: satang(7), accounts: { bankCode: undefined, extraVerify: undefined } }
    assert.deepStrictEqual(conditionsOf(policy, demanded), {
      amount: { equals: satang(7) },
      transferredAt: { withinMinutes: 10 },
      receivers: "registered"
    })
    const own = requested({ amount: { atMost: satang(9) }, receivers: "listed" }, [phone])
    assert.deepStrictEqual(conditionsOf(null, { ...demanded, conditions: own }), own.conditions)
  })

  it("on registered receivers compare the branch's accounts", () => {
    const all = { bankCode: undefined, extraVerify: undefined }
    const registered = { version: 1, conditions: { receivers: "registered" } } as const
    assert.deepStrictEqual(judgingConditions(registered, {}).accounts, all)
    const accounts = { bankCode: "004", extraVerify: undefined }
    assert.deepStrictEqual(judgingConditions(registered, { accounts }).accounts, accounts)
    assert.isUndefined(judged(requested({ receivers: "listed" }, [phone])).accounts)
  })
})

describe("verifying a slip with conditions", () => {
  it.effect("answers and records the verdict, the conditions and the policy's version", function* () {
    const { events, verify } = yield* givenVerifier
    yield* TestClock.setTime(noon + 600_000)
    const bare = yield* verify(newSlip().payload)
    const accepted = yield* verify(newSlip().payload, callerOf(), judged(undefined, policy))
    yield* TestClock.adjust("1 second")
    const late = yield* verify(
      newSlip().payload,
      callerOf(),
      judged(requested({ amount: { equals: satang(99_99) } }), policy)
    )

    assert.notProperty(verifyBankData(bare), "accepted")
    assert.deepInclude(verifyBankData(accepted), { accepted: true, reasons: [], policyVersion: 3 })
    const { reasons = [] } = verifyBankData(late)
    assert.deepStrictEqual(reasons.map(({ message: _, ...reason }) => reason), [
      { code: "amount_differs", expected: 99.99, actual: 100 },
      { code: "transferred_too_early", expected: "2026-11-21T12:00:01+07:00", actual: "2026-11-21T12:00:00+07:00" }
    ])
    const recorded = (yield* events).map(({ data }) => data["acceptance"])
    assert.deepStrictEqual(recorded[0], undefined)
    assert.deepStrictEqual(recorded[1], {
      accepted: true,
      reasons: [],
      conditions: policy.conditions,
      policyVersion: 3
    })
    assert.deepInclude(recorded[2], { accepted: false, policyVersion: 3 })
    assert.notProperty((yield* events)[0]?.data, "acceptance")
  })

  it.effect("accepts no repeat unless duplicates are allowed", function* () {
    const { verify } = yield* givenVerifier
    const { payload } = newSlip()
    const conditions = { amount: { atLeast: satang(1) } }
    const codes = Effect.fnUntraced(function* (more: Conditions, caller = callerOf()) {
      const { acceptance } = yield* verify(payload, caller, judged(requested({ ...conditions, ...more })))
      return acceptance?.reasons.map(({ code }) => code)
    })
    assert.deepStrictEqual(yield* codes({}), [])
    assert.deepStrictEqual(yield* codes({}), ["duplicate"])
    assert.deepStrictEqual(yield* codes({}, callerOf({ branchId: "branch-2" })), ["duplicate"])
    assert.deepStrictEqual(yield* codes({ duplicate: "allow" }), [])
  })

  it.effect("accepts exactly one of many requests for a slip at the same time", function* () {
    const { another, verify } = yield* givenVerifier
    const { payload } = newSlip()
    const judging = judged(requested({ duplicate: "reject" }))
    const verifications = yield* Effect.all(
      [verify, another, verify, another, verify].map((process) => process(payload, callerOf(), judging)),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(verifications.filter(({ acceptance }) => acceptance?.accepted === true).length, 1)
  })

  it.effect("compares the receiver with the accounts of the request, and records none of them", function* () {
    const { events, verify } = yield* givenVerifier
    const codes = Effect.fnUntraced(function* (receivers: RequestedConditions["receivers"]) {
      const verification = yield* verify(
        newSlip().payload,
        callerOf(),
        judged(requested({ receivers: "listed" }, receivers))
      )
      assert.isNull(verification.matching)
      return verification.acceptance?.reasons.map(({ code }) => code)
    })
    const other = { ...phone, bankNumber: "0819995678" }
    assert.deepStrictEqual(yield* codes([phone]), [])
    assert.deepStrictEqual(yield* codes([other, phone]), [])
    assert.deepStrictEqual(yield* codes([other]), ["receiver_differs"])
    // The slip shows a phone number only, which proves nothing about an account of the same bank.
    const account = { ...phone, bankCode: "014", bankNumber: "1234567890", extraVerify: null }
    assert.deepStrictEqual(yield* codes([account]), ["receiver_indeterminate"])
    const text = JSON.stringify((yield* events).map(({ data }) => data))
    for (const { bankNumber } of [phone, other, account]) assert.notInclude(text, bankNumber)
  })

  it.effect("compares the receiver with the branch's accounts", function* () {
    const { verify } = yield* givenVerifier
    const { acceptance, matching } = yield* verify(
      newSlip().payload,
      callerOf(),
      judged(requested({ receivers: "registered" }))
    )
    assert.deepStrictEqual(acceptance?.reasons, [{ code: "receiver_differs" }])
    assert.strictEqual(matching?.verdict, "no_match")
  })

  it.effect("keeps the recorded verdict when the same verification is repeated under another policy", function* () {
    const { verify } = yield* givenVerifier
    yield* TestClock.setTime(noon)
    const { payload } = newSlip()
    const verificationId = "v-1"
    const first = yield* verify(payload, callerOf(), { verificationId, ...judged(undefined, policy) })
    const stricter: Policy = { version: 4, conditions: { amount: { equals: satang(1) } } }
    const repeated = yield* verify(payload, callerOf(), { verificationId, ...judged(undefined, stricter) })
    assert.deepStrictEqual(verifyBankData(repeated), verifyBankData(first))
    assert.deepInclude(repeated.acceptance, { accepted: true, policyVersion: 3 })
  })

  it.effect("counts the minutes of a job back from its acceptance", function* () {
    const { attempt } = yield* givenVerifier
    yield* TestClock.setTime(noon + 3_600_000)
    const { judging } = judged(requested({ transferredAt: { withinMinutes: 10 } }))
    assert.isDefined(judging)
    const codes = Effect.fnUntraced(function* (receivedAt: string) {
      const { verification } = yield* attempt({
        verificationId: receivedAt,
        serviceId: "service-1",
        branchId: "branch-1",
        actor: branchActor("branch-1"),
        source: { _tag: "Payload", text: newSlip().payload },
        month: "2026-11",
        correlationId: "request-1",
        judging: judging && { ...judging, receivedAt }
      })
      return verification.acceptance?.reasons.map(({ code }) => code)
    })
    assert.deepStrictEqual(yield* codes("2026-11-21T05:10:00.000Z"), [])
    assert.deepStrictEqual(yield* codes("2026-11-21T05:10:01.000Z"), ["transferred_too_early"])
  })
})
