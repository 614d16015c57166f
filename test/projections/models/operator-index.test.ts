import { assert, describe, it } from "@effect/vitest"
import { branches, services, streamOf, verifications } from "../../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { VerificationEvent } from "../../../domain/failed-verification.ts"
import { satang } from "../../../domain/money.ts"
import type { SlipEvent } from "../../../domain/slip/slip.ts"
import {
  comparableName,
  operatorIndexProjection,
  operatorSets,
  parseName,
  parseRecent
} from "../../../projections/models/operator-index.ts"
import { expired, jobEvent, projected, recorded, slipEvent } from "../given-events.ts"
import { attemptFailed, enqueued, notFound, succeeded, time } from "../job-fixtures.ts"

const at = "2026-11-21T08:45:00.000Z"
const score = Date.parse(at)
const sealed = { k: "master", n: "bm9uY2U=", c: "c2VhbGVk" }
const tailDigest = "0123456789abcdef0123456789abcdef"

const first: SlipEvent = {
  _tag: "SlipVerified",
  verificationId: "v-1",
  branchId: "silom",
  at,
  month: "2026-11",
  charged: true,
  remark: null,
  expectedAmount: null,
  isAmountMatched: null,
  tailDigest,
  serviceId: "s-1",
  sendingBank: "004",
  amount: satang(150_050),
  transferredAt: "2026-11-21T15:44:00+07:00",
  transfer: sealed,
  gateway: "sandbox",
  gatewayMillis: 3
}

const failed: VerificationEvent = {
  _tag: "VerificationFailed",
  verificationId: "v-3",
  serviceId: "s-1",
  branchId: "asoke",
  at,
  code: "SLIP_NOT_FOUND",
  why: "the bank does not know the transfer",
  slipDigest: "other",
  tailDigest,
  gateway: null,
  gatewayMillis: null
}
const failure = recorded(streamOf.verification("v-3"), verifications, failed, at)

const model = (...events: ReadonlyArray<RecordedEvent>) => projected(operatorIndexProjection, ...events)

describe("the read model operator-index", () => {
  it("has the verifications of all branches by class, each with its branch", () => {
    const { members } = model(slipEvent(first), failure)
    assert.deepStrictEqual(members(operatorSets.recent("v")), { "v-1 v 150050 - - silom": score })
    assert.deepStrictEqual(members(operatorSets.recent("SLIP_NOT_FOUND")), {
      "v-3 SLIP_NOT_FOUND - - - asoke": score
    })
    const { branchId, verificationClass, verificationId } = parseRecent("v-1 v 150050 - - silom")
    assert.deepStrictEqual([verificationId, verificationClass, branchId], ["v-1", "v", "silom"])
  })

  it("forgets verifications after the retention", () => {
    const { sets } = expired(operatorIndexProjection, operatorSets.recent("v"), slipEvent(first))
    assert.deepStrictEqual(sets, [operatorSets.tails.set])
  })

  it("has the slips that an end of a reference can mean, also slips that no bank found", () => {
    const { members } = model(slipEvent(first), failure, slipEvent({ ...first, verificationId: "v-2" }))
    assert.deepStrictEqual(members(operatorSets.tails), {
      "0123456789abcdef silom digest": 0,
      "0123456789abcdef asoke other": 0
    })
  })

  it("has no end of a reference for old events, and none without a slip", () => {
    const { tailDigest: _, ...old } = first
    const unread = recorded(streamOf.verification("v-3"), verifications, { ...failed, slipDigest: null }, at)
    assert.deepStrictEqual(model(slipEvent(old), unread).members(operatorSets.tails), {})
  })

  it("has the slip of a job from its first attempt on, and the job once it has ended", () => {
    const attempt = { ...attemptFailed, slipDigest: "digest", tailDigest }
    const pending = [jobEvent(enqueued), jobEvent(attempt)]
    assert.deepStrictEqual(model(...pending).sets, [operatorSets.tails.set])
    assert.deepStrictEqual(model(...pending, jobEvent(succeeded)).sets, [operatorSets.tails.set])
    const last = { ...attempt, attempt: 2, at: time.ended, code: "SLIP_NOT_FOUND", nextAttemptAt: null }
    const { members } = model(...pending, jobEvent(last), jobEvent(notFound))
    assert.deepStrictEqual(members(operatorSets.recent("SLIP_NOT_FOUND")), {
      "j-1 SLIP_NOT_FOUND - - - silom": Date.parse(time.ended)
    })
  })

  it("has every name of services and branches, in a form that ignores case", () => {
    const created = { accountId: "a-1", mainBranchId: "b-1", plan: "free" }
    const later = "2026-11-22T08:45:00.000Z"
    const { members } = model(
      recorded(
        "service-s-1",
        services,
        { _tag: "ServiceCreated", serviceId: "s-1", name: "Coffee  Hut", ...created },
        at
      ),
      recorded("service-s-1", services, { _tag: "ServiceRenamed", name: "ร้านกาแฟ" }, later),
      recorded(
        "branch-b-1",
        branches,
        { _tag: "BranchCreated", branchId: "b-1", serviceId: "s-1", name: "Silom", isMain: true },
        at
      ),
      recorded("branch-b-1", branches, { _tag: "BranchDeactivated" }, later)
    )
    const names = members(operatorSets.names)
    assert.deepStrictEqual(names, {
      "service s-1 coffee  hut": score,
      [`service s-1 ${comparableName("ร้านกาแฟ")}`]: Date.parse(later),
      "branch b-1 silom": score
    })
    assert.deepStrictEqual(parseName("service s-1 coffee  hut"), { kind: "service", id: "s-1", name: "coffee  hut" })
  })

  it("is the same when events are projected again", () => {
    const events = [slipEvent(first), failure]
    const [once, twice] = [model(...events), model(...events, ...events)]
    for (const set of [operatorSets.recent("v"), operatorSets.recent("SLIP_NOT_FOUND"), operatorSets.tails]) {
      assert.deepStrictEqual(once.members(set), twice.members(set))
    }
  })
})
