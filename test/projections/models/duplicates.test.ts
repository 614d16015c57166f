import { assert, describe, it } from "@effect/vitest"
import { streamOf, verifications } from "../../../domain/events/aggregates.ts"
import type { VerificationEvent } from "../../../domain/failed-verification.ts"
import {
  duplicatesProjection,
  failuresOfSlip,
  laterHolders,
  streamsOfSlip,
  verificationRows
} from "../../../projections/models/duplicates.ts"
import { projected, recorded, slipEvent } from "../given-events.ts"

const at = "2026-11-21T08:45:00.000Z"

const verdict = {
  branchId: "silom",
  at,
  month: "2026-11",
  charged: true,
  remark: null,
  expectedAmount: null,
  isAmountMatched: null
}
const again = slipEvent({ _tag: "SlipVerifiedAgain", verificationId: "v-1", ...verdict })

const failed = (slipDigest: string | null) => {
  const event: VerificationEvent = {
    _tag: "VerificationFailed",
    verificationId: "v-2",
    serviceId: "s-1",
    branchId: "silom",
    at,
    code: "SLIP_NOT_FOUND",
    why: "the bank knows no such transfer",
    slipDigest,
    gateway: null,
    gatewayMillis: null
  }
  return recorded(streamOf.verification("v-2"), verifications, event, at)
}

describe("the read model duplicates", () => {
  it("has the stream of each verification", () => {
    const { row } = projected(duplicatesProjection, again, failed(null))
    assert.deepStrictEqual(row(verificationRows, "v-1"), { stream: "slip-s-1-digest", revision: 0 })
    assert.deepStrictEqual(row(verificationRows, "v-2"), { stream: "verification-v-2", revision: 0 })
  })

  it("has the streams of a slip, and those of its failed verifications", () => {
    const { members } = projected(duplicatesProjection, again, failed("digest"))
    assert.deepStrictEqual(members(streamsOfSlip("digest")), { "slip-s-1-digest": Date.parse(at) })
    assert.deepStrictEqual(members(failuresOfSlip("digest")), { "verification-v-2": Date.parse(at) })
  })

  it("has the branches that were charged for the slip of another branch", () => {
    const free = slipEvent({ _tag: "SlipVerifiedAgain", verificationId: "v-3", ...verdict, charged: false })
    const { members } = projected(duplicatesProjection, again, free)
    assert.deepStrictEqual(members(laterHolders("slip-s-1-digest")), { silom: 0 })
    assert.deepStrictEqual(projected(duplicatesProjection, free).members(laterHolders("slip-s-1-digest")), {})
  })

  it("has no stream of a slip for a verification that read no slip", () => {
    assert.deepStrictEqual(projected(duplicatesProjection, failed(null)).sets, [])
  })
})
