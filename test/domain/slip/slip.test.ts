import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { fold } from "../../../domain/decider.ts"
import { satang } from "../../../domain/money.ts"
import { costs, slip, type SlipEvent, type VerifySlip } from "../../../domain/slip/slip.ts"
import { given } from "../../support/decider-spec.ts"
import { withoutLaterFields } from "../../support/event-fixtures.ts"

const remark = { k: "master", n: "bm9uY2U=", c: "cmVtYXJr" }
const evidence = {
  sendingBank: "014",
  amount: satang(150_050),
  transferredAt: "2026-11-21T15:45:00+07:00",
  transfer: { k: "master", n: "bm9uY2U=", c: "dHJhbnNmZXI=" },
  gateway: "sandbox",
  gatewayMillis: 12,
  upstream: null,
  askedBefore: []
}

const verify = (change: Partial<VerifySlip> = {}): VerifySlip => ({
  _tag: "VerifySlip",
  verificationId: "v-1",
  serviceId: "s-1",
  branchId: "silom",
  at: "2026-11-21T08:45:30.000Z",
  month: "2026-11",
  remark: null,
  expectedAmount: null,
  matching: null,
  ...withoutLaterFields,
  evidence,
  ...change
})

type First = Extract<SlipEvent, { readonly _tag: "SlipVerified" }>
type Again = Extract<SlipEvent, { readonly _tag: "SlipVerifiedAgain" }>

const recorded = {
  verificationId: "v-1",
  branchId: "silom",
  at: "2026-11-21T08:45:30.000Z",
  month: "2026-11",
  charged: true,
  remark: null,
  expectedAmount: null,
  isAmountMatched: null,
  matching: null
}
const first: First = { _tag: "SlipVerified", ...recorded, serviceId: "s-1", ...evidence }
const again = (change: Partial<Again>): Again => ({
  _tag: "SlipVerifiedAgain",
  ...recorded,
  amount: first.amount,
  ...change
})

describe("the first verification of a slip", () => {
  it("claims the slip, charges the branch one unit and records the bank's answer", () => {
    given(slip).when(verify()).then(first)
  })

  it("records the remark sealed", () => {
    given(slip).when(verify({ remark })).then({ ...first, remark })
  })

  it("requires a bank's answer", () => {
    given(slip).when(verify({ evidence: null })).thenRejected("EvidenceMissing")
    given(slip).when(verify({ evidence: null, expectedAmount: satang(1) })).thenRejected("EvidenceMissing")
  })

  it.each([
    ["the same", 150_050, true],
    ["one satang less", 150_049, false],
    ["one satang more", 150_051, false]
  ])("compares the amount with the expected one: %s", (_, amount, isAmountMatched) => {
    const expectedAmount = satang(amount)
    given(slip).when(verify({ expectedAmount })).then({ ...first, expectedAmount, isAmountMatched })
  })
})

describe("a verification with conditions", () => {
  const toCheck = {
    conditions: { amount: { atLeast: satang(150_050) }, receivers: "registered" },
    policyVersion: 2,
    receiver: "match",
    receivedAt: "2026-11-21T08:45:30.000Z"
  } as const
  const acceptance = { accepted: true, reasons: [], conditions: toCheck.conditions, policyVersion: 2 }

  it("records whether the slip is accepted, with the conditions and the policy's version", () => {
    given(slip).when(verify({ toCheck })).then({ ...first, acceptance })
    given(slip).when(verify({ toCheck: { ...toCheck, receiver: "indeterminate" } })).then({
      ...first,
      acceptance: { ...acceptance, accepted: false, reasons: [{ code: "receiver_indeterminate" }] }
    })
  })

  it("accepts only the first of two that were judged before either was recorded", () => {
    given(slip, { ...first, acceptance }).when(verify({ verificationId: "v-2", toCheck })).then(again({
      verificationId: "v-2",
      charged: false,
      acceptance: { ...acceptance, accepted: false, reasons: [{ code: "duplicate" }] }
    }))
  })

  it("has no field for the verdict without conditions", () => {
    const [event] = Result.getOrElse(slip.decide(verify(), slip.initialState), () => [])
    assert.notProperty(event, "acceptance")
  })
})

describe("a later verification of a slip", () => {
  it("by the same branch is free and requires no bank", () => {
    given(slip, first).when(verify({ verificationId: "v-2", evidence: null }))
      .then(again({ verificationId: "v-2", charged: false }))
  })

  it("by another branch charges that branch one unit, once", () => {
    const bySiam = again({ verificationId: "v-2", branchId: "siam" })

    given(slip, first).when(verify({ verificationId: "v-2", branchId: "siam", evidence: null })).then(bySiam)
    given(slip, first, bySiam).when(verify({ verificationId: "v-3", branchId: "siam", evidence: null }))
      .then(again({ verificationId: "v-3", branchId: "siam", charged: false }))
    given(slip, first, bySiam).when(verify({ verificationId: "v-3", evidence: null }))
      .then(again({ verificationId: "v-3", charged: false }))
  })

  it("uses the first bank answer when it lost a race with another answer", () => {
    const another = { ...evidence, amount: satang(1), gateway: "kbank" }
    given(slip, first)
      .when(verify({ verificationId: "v-2", branchId: "siam", evidence: another, expectedAmount: satang(150_050) }))
      .then(again({
        verificationId: "v-2",
        branchId: "siam",
        expectedAmount: satang(150_050),
        isAmountMatched: true
      }))
  })

  it("has its own expected amount, remark, time and month", () => {
    const own = {
      verificationId: "v-2",
      at: "2026-12-01T00:00:00.000Z",
      month: "2026-12",
      remark,
      expectedAmount: satang(150_000)
    }
    given(slip, { ...first, expectedAmount: satang(150_050), isAmountMatched: true }).when(verify(own))
      .then(again({ ...own, charged: false, isAmountMatched: false }))
  })

  it("has no effect when it is in the log already", () => {
    given(slip, first).when(verify()).thenNothing()
    given(slip, first).when(verify({ branchId: "siam", evidence: null })).thenNothing()
    given(slip, first, again({ verificationId: "v-2" })).when(verify({ verificationId: "v-2" })).thenNothing()
  })
})

describe("the charge of a slip", () => {
  it("is one unit for a branch without the slip, and nothing for a branch with it", () => {
    const state = fold(slip, [first, again({ verificationId: "v-2", branchId: "siam" })])

    assert.deepStrictEqual(["silom", "siam", "ari"].map((branchId) => costs(state, branchId)), [false, false, true])
    assert.isTrue(costs(slip.initialState, "silom"))
  })

  it("has no end: a slip can be verified again at any time", () => {
    assert.isFalse(slip.isTerminal(fold(slip, [first])))
  })
})
