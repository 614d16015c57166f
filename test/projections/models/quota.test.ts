import { assert, describe, it } from "@effect/vitest"
import { quotaModel, quotaProjection, quotaSets } from "../../../projections/models/quota.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { jobEvent, projected, slipEvent } from "../given-events.ts"
import { attemptFailed, enqueued, notFound, succeeded } from "../job-fixtures.ts"
import { verifiedAgain } from "../verification-fixtures.ts"

const again = (change: Partial<typeof verifiedAgain>): RecordedEvent =>
  slipEvent({ ...verifiedAgain, verificationId: "v-1", ...change })

const inNovember = quotaSets.month("silom", "2026-11")
const charged = (...events: ReadonlyArray<RecordedEvent>) =>
  Object.keys(projected(quotaProjection, ...events).members(inNovember))

describe("the charges of a branch", () => {
  it("are one unit for a charged verification, in its month", () => {
    const { members, sets } = projected(quotaProjection, again({}), again({ verificationId: "v-2", charged: false }))
    assert.deepStrictEqual(sets, [inNovember.set, quotaSets.months("silom").set])
    assert.deepStrictEqual(Object.keys(members(inNovember)), ["v-1"])
    assert.deepStrictEqual(members(quotaSets.months("silom")), { "2026-11": 202_611 })
  })

  it("are one unit for a job, from its acceptance", () => {
    assert.deepStrictEqual(charged(jobEvent(enqueued)), ["j-1"])
    assert.deepStrictEqual(charged(jobEvent(enqueued), jobEvent(attemptFailed)), ["j-1"])
  })

  it("are the same unit when the job's slip is verified, counted once", () => {
    const events = [jobEvent(enqueued), again({ verificationId: "j-1" }), jobEvent(succeeded)]
    assert.deepStrictEqual(charged(...events), ["j-1"])
  })

  it("are only the charge of the slip when a job reserved nothing", () => {
    const withoutReservation = jobEvent({ ...enqueued, charged: false })
    assert.deepStrictEqual(charged(withoutReservation), [])
    assert.deepStrictEqual(charged(withoutReservation, again({ verificationId: "j-1" }), jobEvent(succeeded)), ["j-1"])
  })

  it("are nothing for a job without a slip", () => {
    assert.deepStrictEqual(charged(jobEvent(enqueued), jobEvent(attemptFailed), jobEvent(notFound)), [])
  })

  it("are nothing for a job whose slip the branch verified before", () => {
    const notCharged = again({ verificationId: "j-1", charged: false })
    const ended = jobEvent({ ...succeeded, charged: false, isDuplicate: true })
    assert.deepStrictEqual(charged(again({}), jobEvent(enqueued), notCharged, ended), ["v-1"])
  })

  it("have version 2, because jobs are counted", () => {
    assert.strictEqual(quotaModel.version, 2)
    assert.deepStrictEqual(quotaProjection.streams, ["slip-", "job-"])
  })
})
