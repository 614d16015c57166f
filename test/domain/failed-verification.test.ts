import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { fold } from "../../domain/decider.ts"
import {
  endCodeOf,
  parseEndCode,
  type RecordFailure,
  verification,
  VerificationEvent
} from "../../domain/failed-verification.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const failure = {
  verificationId: "v-1",
  serviceId: "s-1",
  branchId: "b-1",
  at: "2026-11-21T08:45:00.000Z",
  code: "SLIP_PENDING",
  why: "the bank does not know the transfer yet",
  slipDigest: "d1",
  gateway: "sandbox",
  gatewayMillis: 12,
  upstream: null,
  askedBefore: []
} as const
const record: RecordFailure = { _tag: "RecordFailure", ...failure }
const failed: VerificationEvent = { _tag: "VerificationFailed", ...failure }

describe("a failed verification", () => {
  it("records the reason, the gateway and the duration", () => {
    given(verification).when(record).then(failed)
  })

  it("records that no gateway was called when there was no slip", () => {
    const withoutGateway = { code: "SLIP_NOT_FOUND", slipDigest: null, gateway: null, gatewayMillis: null } as const
    given(verification).when({ ...record, ...withoutGateway }).then({ ...failed, ...withoutGateway })
  })

  it("ends once", () => {
    given(verification, failed).when(record).thenNothing()
    given(verification, failed).when({ ...record, code: "API_SERVER_ERROR" }).thenNothing()
    assert.isTrue(verification.isTerminal(fold(verification, [failed])))
    assert.isFalse(verification.isTerminal(verification.initialState))
  })
})

describe("the code of an answer", () => {
  it("is the stored one, except for a slip of another kind and for several slips", () => {
    assert.strictEqual(endCodeOf(failed), "SLIP_PENDING")
    assert.strictEqual(endCodeOf({ ...failed, code: "SLIP_NOT_FOUND", wrongKind: "truemoney" }), "WRONG_SLIP_KIND")
    assert.strictEqual(endCodeOf({ ...failed, code: "SLIP_NOT_FOUND", severalSlips: true }), "SEVERAL_SLIPS")
  })

  it("is no verdict on the slip when a later version added it", () => {
    assert.strictEqual(parseEndCode("IMAGE_URL_UNREACHABLE"), "IMAGE_URL_UNREACHABLE")
    for (const unknown of ["SLIP_LOST", "toString"]) assert.strictEqual(parseEndCode(unknown), "API_SERVER_ERROR")
  })
})

describe("any failed verification", () => {
  const commands = Arbitrary.map(
    Arbitrary.schema(VerificationEvent),
    ({ _tag: _, ...fields }): RecordFailure => ({ _tag: "RecordFailure", upstream: null, askedBefore: [], ...fields })
  )
  itObeysTheLaws(verification, VerificationEvent, commands)

  it("has three kinds of end, and whole milliseconds", () => {
    const isEvent = Schema.is(VerificationEvent)
    assert.isFalse(isEvent({ ...failed, gatewayMillis: 1.5 }))
    assert.isTrue(isEvent({ ...failed, code: "API_SERVER_ERROR" }))
    assert.isFalse(isEvent({ ...failed, code: "SLIP_LOST" }))
  })
})
