import { assert, describe, it } from "@effect/vitest"
import type { CallbackEvent } from "../../../domain/callback.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { VerificationEvent } from "../../../domain/failed-verification.ts"
import { bucketOf } from "../../../domain/latency.ts"
import {
  HOUR_MILLIS,
  hourKey,
  hourKeys,
  hourOf,
  hourRows,
  INSTALLATION,
  parseHour,
  statisticsProjection
} from "../../../projections/models/statistics.ts"
import { callbackEvent, expired, jobEvent, projected, slipEvent, verificationEvent } from "../given-events.ts"
import { attemptFailed, enqueued, notFound, succeeded } from "../job-fixtures.ts"
import { verificationFailed, verifiedAgain, verifiedFirst } from "../verification-fixtures.ts"

const { at } = verifiedFirst
const hour = hourOf(Date.parse(at))

const verified = (more: Partial<typeof verifiedFirst> = {}) => slipEvent({ ...verifiedFirst, ...more })
const again = slipEvent({ ...verifiedAgain, tookMillis: 4 })
const failed = (more: Partial<VerificationEvent> = {}) => verificationEvent({ ...verificationFailed, ...more })

const countsOf = (scope: string, ...events: ReadonlyArray<RecordedEvent>) =>
  parseHour(projected(statisticsProjection, ...events).row(hourRows, hourKey(scope, hour)) ?? {})

describe("the counters of an hour", () => {
  it("are those of the branch and of the whole installation", () => {
    const events = [verified({ tookMillis: 120 }), verified({ branchId: "asoke", verificationId: "v-9" }), again]
    const both = countsOf(INSTALLATION, ...events)
    assert.deepInclude(both, { verified: 2, duplicates: 1, satang: 300_100 })
    assert.deepStrictEqual([...both.latency], [[bucketOf(120), 1], [bucketOf(4), 1]])
    assert.deepInclude(countsOf("silom", ...events), { verified: 1, duplicates: 1, satang: 150_050 })
    assert.deepInclude(countsOf("asoke", ...events), { verified: 1, duplicates: 0, satang: 150_050 })
  })

  it("leave out the amount of a slip that its conditions refused", () => {
    const acceptance = { accepted: false, reasons: [], conditions: {}, policyVersion: null }
    assert.deepInclude(countsOf("silom", verified({ acceptance })), { verified: 1, satang: 0 })
  })

  it("count failures by their code, and jobs by their last attempt", () => {
    const lastAttempt = { ...attemptFailed, nextAttemptAt: null }
    const { failures } = countsOf(
      "silom",
      failed(),
      failed({ wrongKind: "truemoney", verificationId: "v-4" }),
      jobEvent(enqueued),
      jobEvent(attemptFailed),
      jobEvent(lastAttempt),
      jobEvent(notFound),
      jobEvent(succeeded)
    )
    assert.deepStrictEqual(Object.fromEntries(failures), { SLIP_NOT_FOUND: 1, WRONG_SLIP_KIND: 1, SLIP_PENDING: 1 })
  })

  it("count attempts of callbacks by their result", () => {
    const attempt = { jobId: "j-1", branchId: "silom", host: "shop.example", at, attempt: 1 }
    const events: ReadonlyArray<CallbackEvent> = [
      { _tag: "CallbackSent", ...attempt },
      { _tag: "CallbackAttemptFailed", ...attempt, status: 503, reason: "503", tookMillis: 1, nextAttemptAt: at },
      { _tag: "CallbackDelivered", ...attempt, status: 200, tookMillis: 1 },
      { _tag: "CallbackRejected", ...attempt, status: 404, tookMillis: 1 }
    ]
    const { callbacks } = countsOf("silom", ...events.map(callbackEvent))
    assert.deepStrictEqual(callbacks, { delivered: 1, failed: 1, rejected: 1 })
  })

  it("have no duration for events from before it was stored", () => {
    assert.strictEqual(countsOf("silom", verified(), failed()).latency.size, 0)
  })

  it("leave the model together with their key", () => {
    const { members, row } = projected(statisticsProjection, verified())
    assert.deepStrictEqual(members(hourKeys), {
      [hourKey(INSTALLATION, hour)]: hour * HOUR_MILLIS,
      [hourKey("silom", hour)]: hour * HOUR_MILLIS
    })
    assert.isDefined(row(hourRows, hourKey("silom", hour)))
    const after = expired(statisticsProjection, hourKeys, verified())
    assert.deepStrictEqual(after.sets, [])
    assert.isUndefined(after.row(hourRows, hourKey("silom", hour)))
  })
})
