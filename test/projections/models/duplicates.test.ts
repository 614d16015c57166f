import { assert, describe, it } from "@effect/vitest"
import {
  duplicatesProjection,
  failuresOfSlip,
  laterHolders,
  streamsOfSlip,
  verificationRows
} from "../../../projections/models/duplicates.ts"
import { projected, slipEvent, verificationEvent } from "../given-events.ts"
import { verificationFailed, verifiedAgain } from "../verification-fixtures.ts"

const score = Date.parse(verifiedAgain.at)

const again = slipEvent(verifiedAgain)
const failed = (slipDigest: string | null) => verificationEvent({ ...verificationFailed, slipDigest })

describe("the read model duplicates", () => {
  it("has the stream of each verification", () => {
    const { row } = projected(duplicatesProjection, again, failed(null))
    assert.deepStrictEqual(row(verificationRows, "v-2"), { stream: "slip-s-1-digest", revision: 0 })
    assert.deepStrictEqual(row(verificationRows, "v-3"), { stream: "verification-v-3", revision: 0 })
  })

  it("has the streams of a slip, and those of its failed verifications", () => {
    const { members } = projected(duplicatesProjection, again, failed("digest"))
    assert.deepStrictEqual(members(streamsOfSlip("digest")), { "slip-s-1-digest": score })
    assert.deepStrictEqual(members(failuresOfSlip("digest")), { "verification-v-3": score })
  })

  it("has the branches that were charged for the slip of another branch", () => {
    const free = slipEvent({ ...verifiedAgain, verificationId: "v-4", charged: false })
    const { members } = projected(duplicatesProjection, again, free)
    assert.deepStrictEqual(members(laterHolders("slip-s-1-digest")), { silom: 0 })
    assert.deepStrictEqual(projected(duplicatesProjection, free).members(laterHolders("slip-s-1-digest")), {})
  })

  it("has no stream of a slip for a verification that read no slip", () => {
    assert.deepStrictEqual(projected(duplicatesProjection, failed(null)).sets, [])
  })
})
