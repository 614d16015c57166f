import { assert, describe, it } from "@effect/vitest"
import type { VerificationEvent } from "../../../domain/failed-verification.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { SlipEvent } from "../../../domain/slip/slip.ts"
import { uuidV7 } from "../../../infrastructure/platform/uuid.ts"
import {
  parseEntry,
  shortOf,
  verificationIdOf,
  verificationSets,
  verificationsOf,
  verificationsProjection
} from "../../../projections/models/verifications.ts"
import { jobEvent, projected, slipEvent, verificationEvent } from "../given-events.ts"
import { attemptFailed, enqueued, notFound, succeeded, time } from "../job-fixtures.ts"
import { verificationFailed, verifiedAgain, verifiedFirst } from "../verification-fixtures.ts"

const score = Date.parse(verifiedFirst.at)
const first = verifiedFirst
const again: SlipEvent = { ...verifiedAgain, amount: first.amount }
const judged = (event: SlipEvent, accepted: boolean): SlipEvent => ({
  ...event,
  acceptance: { accepted, reasons: [], conditions: {}, policyVersion: null }
})

const failed = (fields: Partial<VerificationEvent> = {}) =>
  verificationEvent({ ...verificationFailed, code: "SLIP_PENDING", ...fields })

const { ofClass, ofSlip } = verificationSets
const model = (...events: ReadonlyArray<RecordedEvent>) => projected(verificationsProjection, ...events)

describe("the read model verifications", () => {
  it("has each verification in the set of its outcome and acceptance, and in no other", () => {
    const events = [first, again, judged(first, true), judged(first, false), judged(again, true), judged(again, false)]
    const classes = ["v", "d", "v+", "v-", "d+", "d-"] as const
    for (const [index, event] of events.entries()) {
      const { sets } = model(slipEvent(event))
      const set = ofClass("silom", classes[index] ?? "v").set
      assert.deepStrictEqual(sets.filter((name) => !name.includes(":slip:")), [set])
    }
    assert.deepStrictEqual(model(failed()).sets, [ofClass("silom", "SLIP_PENDING").set])
  })

  it("says what filters need: amount, account and remark", () => {
    const accountId = "0a4b6a3e-6a2b-4f53-8f0a-2f3a8cf8f1f7"
    const event = { ...first, accountId, remarkDigest: "0123456789abcdef0123456789abcdef" }
    const { members } = model(slipEvent(event))
    const member = "v-1 v 150050 2f3a8cf8f1f7 456789abcdef"
    assert.deepStrictEqual(members(ofClass("silom", "v")), { [member]: score })
    assert.deepStrictEqual(parseEntry(member), {
      verificationId: "v-1",
      verificationClass: "v",
      amount: 150_050,
      account: "2f3a8cf8f1f7",
      remark: "456789abcdef"
    })
    assert.deepStrictEqual([verificationIdOf(member), verificationIdOf("v-1")], ["v-1", "v-1"])
  })

  it("distinguishes accounts that were registered in the same millisecond", () => {
    const [one, other] = [uuidV7(score), uuidV7(score)]
    assert.notStrictEqual(shortOf(one), shortOf(other))
  })

  it("knows no amount, account or remark of events from before they had them", () => {
    const { amount: _, ...old } = { ...again, amount: undefined }
    assert.deepStrictEqual(model(slipEvent(old)).members(ofClass("silom", "d")), { "v-2 d ? - -": score })
    assert.strictEqual(parseEntry("v-2 d ? - -").amount, "unknown")
    assert.deepStrictEqual(model(failed()).members(ofClass("silom", "SLIP_PENDING")), {
      "v-3 SLIP_PENDING - - -": score
    })
  })

  it("has a slip of the wrong kind under the code that was answered", () => {
    const { sets } = model(failed({ code: "SLIP_NOT_FOUND", wrongKind: "truemoney" }))
    assert.deepStrictEqual(sets, [ofClass("silom", "WRONG_SLIP_KIND").set])
  })

  it("has the verifications of a slip, except the first in the service", () => {
    const digest = "digest"
    assert.deepStrictEqual(model(slipEvent(first)).members(ofSlip("silom", digest)), {})
    const { members } = model(slipEvent(first), slipEvent(again), failed({ slipDigest: digest }))
    assert.deepStrictEqual(members(ofSlip("silom", digest)), {
      "v-2 d 150050 - -": score,
      "v-3 SLIP_PENDING - - -": score
    })
  })

  it("has a job once: with its slip, or with its last failure", () => {
    const pending = [jobEvent(enqueued), jobEvent(attemptFailed)]
    assert.deepStrictEqual(model(...pending).sets, [])
    assert.deepStrictEqual(model(...pending, jobEvent(succeeded)).sets, [])

    const remarkDigest = "0123456789abcdef0123456789abcdef"
    const last = {
      ...attemptFailed,
      attempt: 2,
      at: time.ended,
      code: "SLIP_NOT_FOUND",
      nextAttemptAt: null,
      remarkDigest
    }
    const { members } = model(...pending, jobEvent({ ...last, slipDigest: "digest" }), jobEvent(notFound))
    const ended = { "j-1 SLIP_NOT_FOUND - - 456789abcdef": Date.parse(time.ended) }
    assert.deepStrictEqual(members(ofClass("silom", "SLIP_NOT_FOUND")), ended)
    assert.deepStrictEqual(members(ofSlip("silom", "digest")), ended)
  })

  it("is the same when events are projected again", () => {
    const events = [slipEvent(first), slipEvent(again), failed({ slipDigest: "digest" })]
    const [once, twice] = [model(...events), model(...events, ...events)]
    assert.deepStrictEqual(once.sets, twice.sets)
    for (const set of [...verificationsOf("silom"), ofSlip("silom", "digest")]) {
      assert.deepStrictEqual(once.members(set), twice.members(set))
    }
  })
})
