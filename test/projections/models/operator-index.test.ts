import { assert, describe, it } from "@effect/vitest"
import { branches, services } from "../../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { VerificationEvent } from "../../../domain/failed-verification.ts"
import {
  comparableName,
  operatorIndexProjection,
  operatorSets,
  parseName,
  parseRecent
} from "../../../projections/models/operator-index.ts"
import { expired, jobEvent, projected, recorded, slipEvent, verificationEvent } from "../given-events.ts"
import { attemptFailed, enqueued, notFound, succeeded, time } from "../job-fixtures.ts"
import { verificationFailed, verifiedFirst } from "../verification-fixtures.ts"

const { at } = verifiedFirst
const score = Date.parse(at)
const tailDigest = "0123456789abcdef0123456789abcdef"

const first = { ...verifiedFirst, tailDigest }
const failed: VerificationEvent = { ...verificationFailed, branchId: "asoke", slipDigest: "other", tailDigest }
const failure = verificationEvent(failed)

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
    const unread = verificationEvent({ ...failed, slipDigest: null })
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
