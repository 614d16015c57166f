import { assert, describe, it } from "@effect/vitest"
import { makeFindings } from "../../../application/log-proof/verify-log/findings.ts"
import { makeQuotaChecker } from "../../../application/log-proof/verify-log/quota-checker.ts"
import type { JsonObject } from "../../../domain/events/recorded-event.ts"
import { recordedEvent } from "../../support/event-fixtures.ts"

type Step = readonly [stream: string, type: string, data: JsonObject, minute: number]

const SEALED = { k: "m-00000000", n: "AAAA", c: "AAAA" }
const NOON = Date.UTC(2026, 10, 21, 12)

const timeAt = (minute: number): string => new Date(NOON + minute * 60_000).toISOString()

const quota = (value: number | null, minute = 0): Step => ["branch-silom", "QuotaSet", { quota: value }, minute]

const of = (id: string, minute: number, charged: boolean) => ({
  verificationId: id,
  branchId: "silom",
  at: timeAt(minute),
  month: "2026-11",
  charged,
  remark: null,
  expectedAmount: null,
  isAmountMatched: null
})

const verified = (id: string, minute = 1, charged = true): Step => [
  `slip-shop-${id}`,
  "SlipVerified",
  {
    ...of(id, minute, charged),
    serviceId: "shop",
    sendingBank: "004",
    amount: 100_00,
    transferredAt: "2026-11-21T19:00:00+07:00",
    transfer: SEALED,
    gateway: "sandbox",
    gatewayMillis: 1
  },
  minute
]

const again = (id: string, minute = 1, charged = true): Step => [
  `slip-shop-${id}`,
  "SlipVerifiedAgain",
  of(id, minute, charged),
  minute
]

const owner = (id: string, minute: number) => ({
  jobId: id,
  batchId: null,
  serviceId: "shop",
  branchId: "silom",
  at: timeAt(minute),
  month: "2026-11",
  callbackUrl: null
})

const enqueued = (id: string, minute = 1): Step => [
  `job-${id}`,
  "VerificationEnqueued",
  {
    ...owner(id, minute),
    batchIndex: null,
    batchSize: null,
    charged: true,
    source: SEALED,
    remark: null,
    expectedAmount: null,
    nextAttemptAt: timeAt(minute)
  },
  minute
]

const succeeded = (id: string, charged: boolean, minute = 1): Step => [
  `job-${id}`,
  "JobSucceeded",
  { ...owner(id, minute), attempt: 1, charged, isDuplicate: !charged, slipDigest: "d", result: SEALED },
  minute
]

const notFound = (id: string, minute = 1): Step => [
  `job-${id}`,
  "JobNotFound",
  { ...owner(id, minute), attempt: 1, code: "SLIP_NOT_FOUND", result: SEALED },
  minute
]

/** The findings about a log of these events. */
const findingsOf = (...steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const findings = makeFindings()
  const checker = makeQuotaChecker(findings)
  steps.forEach(([stream, type, data, minute], index) => {
    const position = BigInt(index + 1)
    const metadata = { at: timeAt(minute) }
    checker.add(recordedEvent(type, data, { metadata, stream, position: { commit: position, prepare: position } }))
  })
  checker.finish()
  return findings.all().map(({ message }) => message)
}

describe("the quotas of a log", () => {
  it("are kept by as many charges as they allow", () => {
    assert.deepStrictEqual(findingsOf(quota(3), verified("a"), again("b"), verified("c"), again("d", 2, false)), [])
    assert.deepStrictEqual(findingsOf(quota(null), verified("a"), verified("b")), [])
    assert.deepStrictEqual(findingsOf(verified("a"), verified("b"), quota(1)), [])
  })

  it("are exceeded by one charge more, which is named once for each month", () => {
    assert.deepStrictEqual(findingsOf(quota(3), verified("a"), again("b"), verified("c"), again("d"), verified("e")), [
      "the branch silom was charged 5 units in 2026-11, but its quota allowed 3: the first charge above it is at "
      + "position 5/5"
    ])
    assert.lengthOf(findingsOf(quota(0), verified("a")), 1)
  })

  it("count the unit that a job holds and the charge of its slip once", () => {
    const job = [enqueued("a"), verified("a"), succeeded("a", true)]
    assert.deepStrictEqual(findingsOf(quota(2), ...job, verified("b")), [])
    assert.lengthOf(findingsOf(quota(2), ...job, verified("b"), enqueued("c")), 1)
  })

  it("get a unit back from a job without a charge", () => {
    const jobs = [enqueued("a"), notFound("a"), enqueued("b"), again("b", 1, false), succeeded("b", false)]
    assert.deepStrictEqual(findingsOf(quota(1), ...jobs, verified("c")), [])
    assert.lengthOf(findingsOf(quota(1), ...jobs, verified("c"), enqueued("d")), 1)
    assert.deepStrictEqual(findingsOf(quota(1), notFound("x"), succeeded("y", false), verified("c")), [])
  })

  it("hold from the creation of a branch with a quota", () => {
    const created: Step = ["branch-silom", "BranchCreated", {
      branchId: "silom",
      serviceId: "shop",
      name: "Silom",
      isMain: true
    }, 0]
    assert.lengthOf(findingsOf(created, quota(1), verified("a"), verified("b")), 1)
    assert.lengthOf(findingsOf(created, quota(1, 1), verified("a"), verified("b")), 0)
  })

  it("allow what was admitted before they were lowered, for ten minutes", () => {
    const lowered = [quota(3), verified("a"), quota(1, 10)]
    assert.deepStrictEqual(findingsOf(...lowered, verified("b", 11), verified("c", 20)), [])
    assert.lengthOf(findingsOf(...lowered, verified("b", 11), verified("c", 21)), 1)
    assert.deepStrictEqual(findingsOf(quota(null), quota(1, 10), verified("a", 11), verified("b", 12)), [])
    assert.lengthOf(findingsOf(quota(null), quota(1, 10), verified("a", 11), verified("b", 80)), 1)
    assert.deepStrictEqual(findingsOf(quota(1), verified("a"), quota(2, 5), verified("b", 6)), [])
  })

  it("are not asked about events that cannot be decoded", () => {
    const broken: Step = ["slip-shop-x", "SlipVerified", { charged: true }, 1]
    assert.deepStrictEqual(findingsOf(quota(1), broken, verified("a")), [])
  })
})
