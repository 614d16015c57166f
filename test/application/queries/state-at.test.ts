import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { branches, callbacks, jobs, slips, streamOf, verifications } from "../../../application/aggregates.ts"
import { sealJobResult, sealJobSource } from "../../../application/commands/job-vault.ts"
import { sealTransfer, slipDigest, subjectOfSlip } from "../../../application/commands/slip-vault.ts"
import { handleCommand } from "../../../application/handle-command.ts"
import type { CallbackView } from "../../../application/queries/job.ts"
import { stateAt } from "../../../application/queries/state-at.ts"
import type { TrailSubject } from "../../../application/queries/trail-subject.ts"
import { satang } from "../../../domain/money.ts"
import { isoTime } from "../../../domain/time.ts"
import { newSlip } from "../../support/client.ts"
import { byService } from "../given-intake.ts"
import { layerOffice } from "../given-office.ts"
import { ids, projected } from "../given-trail.ts"
import { personal, transferOf } from "../given-verifier.ts"

/** Minutes after the first event. */
const minute = (count: number): number => Date.parse("2026-11-21T05:00:00.000Z") + count * 60_000
const time = (count: number): string => isoTime(minute(count))

const branchId = "silom"
const jobId = ids[0] ?? ""
const sealed = { k: "m", n: "n", c: "c" }

/** A branch with a quota of 5, which is renamed after 10 minutes and loses its key after 20. */
const givenBranch = Effect.gen(function*() {
  const stream = streamOf.branch(branchId)
  yield* handleCommand(branches, stream, {
    _tag: "CreateBranch",
    branchId,
    serviceId: "service-1",
    isMain: true,
    name: "Silom",
    keyDigest: "key-1",
    webhookSecret: sealed,
    at: time(0),
    settings: { quota: 5, webhookUrl: "https://shop.example/hook?token=t0k3n" }
  }, byService("b/0", minute(0)))
  const settings = { name: "Asok", quota: null, ipWhitelist: ["10.0.0.0/8"] }
  yield* handleCommand(branches, stream, { _tag: "ChangeBranch", settings }, byService("b/1", minute(10)))
  yield* handleCommand(branches, stream, { _tag: "RotateApiKey", keyDigest: "key-2" }, byService("b/2", minute(20)))
  yield* handleCommand(branches, stream, { _tag: "DeactivateBranch" }, byService("b/3", minute(30)))
})

/** Accepted at once, tried in vain after 1 minute, verified after 2; its callback fails after 3 and arrives after 4. */
const givenJob = Effect.fnUntraced(function*(slip: ReturnType<typeof newSlip>) {
  const { payload, sendingBank, transRef } = slip
  const digest = yield* slipDigest(sendingBank, transRef)
  const job = streamOf.job(jobId)
  const callbackUrl = "https://shop.example/told?token=t0k3n"
  yield* handleCommand(jobs, job, {
    _tag: "Enqueue",
    jobId,
    batchId: null,
    batchIndex: null,
    batchSize: null,
    serviceId: "service-1",
    branchId,
    at: time(0),
    month: "2026-11",
    charged: true,
    source: yield* sealJobSource({ payload }, jobId),
    remark: null,
    expectedAmount: null,
    callbackUrl
  }, byService("j/0", minute(0)))
  yield* handleCommand(jobs, job, {
    _tag: "FailAttempt",
    attempt: 1,
    at: time(1),
    code: "SLIP_PENDING",
    why: "the bank does not know it yet",
    slipDigest: digest,
    gateway: "stub",
    gatewayMillis: 3,
    nextAttemptAt: time(2),
    result: null
  }, byService("j/1", minute(1)))
  yield* handleCommand(slips, streamOf.slip("service-1", digest), {
    _tag: "VerifySlip",
    verificationId: jobId,
    serviceId: "service-1",
    branchId,
    at: time(2),
    month: "2026-11",
    remark: null,
    expectedAmount: satang(100_00),
    matching: null,
    evidence: {
      sendingBank,
      amount: satang(150_050),
      transferredAt: "2026-11-21T11:59:00+07:00",
      transfer: yield* sealTransfer(transferOf(slip), subjectOfSlip(digest)),
      gateway: "stub",
      gatewayMillis: 7,
      upstream: null,
      askedBefore: []
    }
  }, byService(jobId, minute(2)))
  yield* handleCommand(jobs, job, {
    _tag: "Succeed",
    attempt: 2,
    at: time(2),
    charged: true,
    isDuplicate: false,
    slipDigest: digest,
    result: yield* sealJobResult("{}", jobId)
  }, byService("j/2", minute(2)))
  const callback = streamOf.callback(jobId)
  const send = (attempt: number) =>
    handleCommand(callbacks, callback, {
      _tag: "SendCallback",
      jobId,
      branchId,
      url: callbackUrl,
      bodyDigest: "d",
      attempt,
      at: time(2 + attempt)
    }, byService(`c/${attempt}`, minute(2 + attempt)))
  yield* send(1)
  yield* handleCommand(callbacks, callback, {
    _tag: "RecordOutcome",
    attempt: 1,
    at: time(3),
    outcome: { _tag: "Failed", status: 503, reason: "it answered 503", tookMillis: 9, retryAt: time(4) }
  }, byService("c/1/end", minute(3)))
  yield* send(2)
  const outcome = { _tag: "Delivered", status: 204, tookMillis: 9 } as const
  yield* handleCommand(callbacks, callback, { _tag: "RecordOutcome", attempt: 2, at: time(4), outcome }, byService("c/2/end", minute(4)))
})

/** Another branch of the service verifies the same slip after 5 minutes, and one of another service in vain after 6. */
const givenRepeats = Effect.fnUntraced(function*({ sendingBank, transRef }: ReturnType<typeof newSlip>) {
  const digest = yield* slipDigest(sendingBank, transRef)
  const again = ids[1] ?? ""
  yield* handleCommand(slips, streamOf.slip("service-1", digest), {
    _tag: "VerifySlip",
    verificationId: again,
    serviceId: "service-1",
    branchId: "sathorn",
    at: time(5),
    month: "2026-11",
    remark: null,
    expectedAmount: null,
    matching: null,
    evidence: null
  }, byService(again, minute(5)))
  const failed = ids[2] ?? ""
  yield* handleCommand(verifications, streamOf.verification(failed), {
    _tag: "RecordFailure",
    verificationId: failed,
    serviceId: "service-9",
    branchId: "elsewhere",
    at: time(6),
    code: "API_SERVER_ERROR",
    why: "the bank is away",
    slipDigest: digest,
    gateway: "stub",
    gatewayMillis: 9
  }, byService(failed, minute(6)))
})

const given = Effect.gen(function*() {
  const slip = newSlip()
  yield* givenBranch
  yield* givenJob(slip)
  yield* givenRepeats(slip)
  yield* projected
  const { sendingBank, transRef } = slip
  const at = (subject: TrailSubject) => (count: number) => stateAt(subject, minute(count))
  return {
    slipAt: at({ _tag: "Slip", sendingBank, transRef }),
    jobAt: at({ _tag: "Job", id: jobId.toUpperCase() }),
    verificationAt: (id: number) => at({ _tag: "Verification", id: ids[id] ?? "" }),
    branchAt: at({ _tag: "Branch", id: branchId })
  }
})

describe("the state at a moment", () => {
  it.live("of a job is where it and its callback stood", () =>
    Effect.gen(function*() {
      const { jobAt } = yield* given
      assert.isUndefined(yield* jobAt(-1))
      const accepted = { kind: "job", jobId, branchId, batchId: null, acceptedAt: time(0), charged: true }
      const waiting: CallbackView = {
        url: "https://shop.example/told",
        state: "pending",
        attempts: 0,
        lastStatus: null,
        nextAttemptAt: null,
        deliveredAt: null
      }
      assert.deepStrictEqual<unknown>(yield* jobAt(0.5), {
        ...accepted,
        status: "pending",
        attempts: 0,
        nextAttemptAt: time(0),
        endedAt: null,
        isDuplicate: null,
        lastFailure: null,
        callback: waiting
      })
      const lastFailure = { at: time(1), code: "SLIP_PENDING", why: "the bank does not know it yet" }
      assert.deepInclude(yield* jobAt(1), { status: "pending", attempts: 1, nextAttemptAt: time(2), lastFailure })
      assert.deepStrictEqual<unknown>(yield* jobAt(2.5), {
        ...accepted,
        status: "success",
        attempts: 2,
        nextAttemptAt: null,
        endedAt: time(2),
        isDuplicate: false,
        lastFailure,
        callback: { ...waiting, nextAttemptAt: time(2) }
      })
      assert.deepInclude(yield* jobAt(3.5), {
        callback: { ...waiting, attempts: 1, lastStatus: 503, nextAttemptAt: time(4) }
      })
      assert.deepInclude(yield* jobAt(4), {
        callback: { ...waiting, state: "delivered", attempts: 2, lastStatus: 204, deliveredAt: time(4) }
      })
    }).pipe(Effect.provide(layerOffice)))

  it.live("of a slip is who had verified it by then, first and again, and who had looked in vain", () =>
    Effect.gen(function*() {
      const { slipAt } = yield* given
      assert.isUndefined(yield* slipAt(-1))
      const pending = { jobId, branchId, status: "pending", attempts: 1, nextAttemptAt: time(2) }
      assert.deepStrictEqual<unknown>(yield* slipAt(1), { kind: "slip", services: [], inVain: [], jobs: [pending] })
      const first = {
        serviceId: "service-1",
        firstVerifiedAt: time(2),
        firstVerificationId: jobId,
        firstBranchId: branchId,
        gateway: "stub",
        gatewayMillis: 7,
        sendingBank: "004",
        amount: 1500.5,
        transferredAt: "2026-11-21T11:59:00+07:00",
        times: 1,
        branchIds: [branchId],
        charged: 1
      }
      const done = { ...pending, status: "success", attempts: 2, nextAttemptAt: null }
      assert.deepStrictEqual<unknown>(yield* slipAt(2), { kind: "slip", services: [first], inVain: [], jobs: [done] })
      const failed = { verificationId: ids[2], branchId: "elsewhere", at: time(6), code: "API_SERVER_ERROR", why: "the bank is away" }
      assert.deepStrictEqual<unknown>(yield* slipAt(60), {
        kind: "slip",
        services: [{ ...first, times: 2, branchIds: [branchId, "sathorn"], charged: 2 }],
        inVain: [failed],
        jobs: [done]
      })
    }).pipe(Effect.provide(layerOffice)))

  it.live("of a verification is its verdict, with the job that it was handed over as", () =>
    Effect.gen(function*() {
      const { jobAt, verificationAt } = yield* given
      const first = verificationAt(0)
      assert.isUndefined(yield* first(-1))
      assert.deepStrictEqual<unknown>(yield* first(1), {
        kind: "verification",
        verificationId: jobId,
        verdict: null,
        job: yield* jobAt(1)
      })
      const slip = { sendingBank: "004", amount: 1500.5, transferredAt: "2026-11-21T11:59:00+07:00" }
      assert.deepStrictEqual<unknown>(yield* first(2), {
        kind: "verification",
        verificationId: jobId,
        verdict: {
          verdict: "first",
          at: time(2),
          branchId,
          code: null,
          why: null,
          gateway: "stub",
          gatewayMillis: 7,
          ...slip,
          expectedAmount: 100,
          isAmountMatched: false,
          charged: true
        },
        job: yield* jobAt(2)
      })
      assert.isUndefined(yield* verificationAt(1)(4))
      assert.deepNestedInclude(yield* verificationAt(1)(5), {
        "verdict.verdict": "duplicate",
        "verdict.at": time(5),
        "verdict.gateway": null,
        "verdict.amount": 1500.5,
        "verdict.expectedAmount": null,
        "job": null
      })
      assert.deepNestedInclude(yield* verificationAt(2)(6), {
        "verdict.verdict": "failed",
        "verdict.code": "API_SERVER_ERROR",
        "verdict.why": "the bank is away",
        "verdict.gateway": "stub",
        "verdict.amount": null,
        "verdict.charged": false
      })
    }).pipe(Effect.provide(layerOffice)))

  it.live("of a branch is its rules and how much of its quota was used", () =>
    Effect.gen(function*() {
      const { branchAt } = yield* given
      assert.isUndefined(yield* branchAt(-1))
      const made = {
        kind: "branch",
        branchId,
        serviceId: "service-1",
        name: "Silom",
        isMain: true,
        isActive: true,
        createdAt: time(0),
        quota: { month: "2026-11", used: 1, max: 5 },
        ipWhitelist: ["*"],
        webhookUrl: "https://shop.example/hook",
        webhookSecretIssuedAt: time(0),
        keyIssuedAt: time(0)
      }
      assert.deepStrictEqual<unknown>(yield* branchAt(1), made)
      const changed = { ...made, name: "Asok", quota: { ...made.quota, max: null }, ipWhitelist: ["10.0.0.0/8"] }
      assert.deepStrictEqual<unknown>(yield* branchAt(10), changed)
      assert.deepStrictEqual<unknown>(yield* branchAt(20), { ...changed, keyIssuedAt: time(20) })
      assert.deepStrictEqual<unknown>(yield* branchAt(60), { ...changed, isActive: false, keyIssuedAt: time(20) })
      assert.deepNestedInclude(yield* branchAt(60 * 24 * 30), { "quota.month": "2026-12", "quota.used": 0 })
    }).pipe(Effect.provide(layerOffice)))

  it.live("tells nobody's name and no secret", () =>
    Effect.gen(function*() {
      const { branchAt, jobAt, slipAt, verificationAt } = yield* given
      const states = JSON.stringify([yield* branchAt(60), yield* jobAt(60), yield* slipAt(60), yield* verificationAt(0)(60)])
      for (const secret of [...personal, "t0k3n", "key-1", "key-2"]) assert.notInclude(states, secret)
    }).pipe(Effect.provide(layerOffice)))
})
