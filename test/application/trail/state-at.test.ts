import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { handleCommand } from "../../../application/events/handle-command.ts"
import { stateAt } from "../../../application/trail/state-at.ts"
import type { TrailSubject } from "../../../application/trail/trail.ts"
import { allScopes } from "../../../domain/api-key.ts"
import { branches, streamOf } from "../../../domain/events/aggregates.ts"
import { newSlip } from "../../support/client.ts"
import { notDueYet } from "../given-callback.ts"
import {
  branchId,
  endedJobId,
  givenBranch,
  givenEndedJob,
  givenJob,
  givenRepeats,
  givenWrongKind,
  jobId,
  minute,
  time
} from "../given-history.ts"
import { byService } from "../given-intake.ts"
import { ids, projected } from "../given-trail.ts"
import { personal } from "../given-verifier.ts"
import { live } from "../given-application.ts"

const given = Effect.gen(function* () {
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

describe("the state at a time", () => {
  live("of a job has its status and its callback", function* () {
    const { jobAt } = yield* given
    assert.isUndefined(yield* jobAt(-1))
    const accepted = { kind: "job", jobId, branchId, batchId: null, acceptedAt: time(0), charged: true }
    assert.deepStrictEqual<unknown>(yield* jobAt(0.5), {
      ...accepted,
      status: "pending",
      attempts: 0,
      nextAttemptAt: time(0),
      endedAt: null,
      isDuplicate: null,
      lastFailure: null,
      callback: notDueYet
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
      callback: { ...notDueYet, nextAttemptAt: time(2) }
    })
    assert.deepInclude(yield* jobAt(3.5), {
      callback: { ...notDueYet, attempts: 1, lastStatus: 503, nextAttemptAt: time(4) }
    })
    assert.deepInclude(yield* jobAt(4), {
      callback: { ...notDueYet, state: "delivered", attempts: 2, lastStatus: 204, deliveredAt: time(4) }
    })
  })

  live("of a slip has its first, repeated and failed verifications", function* () {
    const { jobAt, slipAt } = yield* given
    assert.isUndefined(yield* slipAt(-1))
    assert.deepStrictEqual<unknown>(yield* slipAt(1), {
      kind: "slip",
      services: [],
      inVain: [],
      jobs: [yield* jobAt(1)],
      truncated: false
    })
    const again = {
      verificationId: ids[1],
      at: time(5),
      branchId: "sathorn",
      verdict: "duplicate",
      expectedAmount: null,
      isAmountMatched: null,
      charged: true
    }
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
      charged: 1,
      verifications: [
        {
          verificationId: jobId,
          at: time(2),
          branchId,
          verdict: "first",
          expectedAmount: 100,
          isAmountMatched: false,
          charged: true
        }
      ]
    }
    assert.deepStrictEqual<unknown>(yield* slipAt(2), {
      kind: "slip",
      services: [first],
      inVain: [],
      jobs: [yield* jobAt(2)],
      truncated: false
    })
    const failed = {
      verificationId: ids[2],
      branchId: "elsewhere",
      at: time(6),
      code: "API_SERVER_ERROR",
      why: "the bank is unavailable"
    }
    assert.deepStrictEqual<unknown>(yield* slipAt(60), {
      kind: "slip",
      services: [
        {
          ...first,
          times: 2,
          branchIds: [branchId, "sathorn"],
          charged: 2,
          verifications: [...first.verifications, again]
        }
      ],
      inVain: [failed],
      jobs: [yield* jobAt(60)],
      truncated: false
    })
  })

  live("of a verification has its verdict and its job", function* () {
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
      "verdict.why": "the bank is unavailable",
      "verdict.gateway": "stub",
      "verdict.amount": null,
      "verdict.charged": false
    })
  })

  live("of a verification of another kind of slip has the code that its caller received", function* () {
    yield* givenWrongKind
    yield* projected
    const state = yield* stateAt({ _tag: "Verification", id: ids[3] ?? "" }, minute(7))
    assert.deepNestedInclude(state, {
      "verdict.verdict": "failed",
      "verdict.code": "WRONG_SLIP_KIND",
      "verdict.why": "the slip is from the TrueMoney wallet"
    })
  })

  live("of a job that ended without a slip has the verdict of its last attempt", function* () {
    yield* givenEndedJob
    yield* projected
    const endedAt = (count: number) => stateAt({ _tag: "Verification", id: endedJobId }, minute(count))
    assert.deepInclude(yield* endedAt(7), { verdict: null })
    assert.deepNestedInclude(yield* endedAt(8), {
      "verdict.verdict": "failed",
      "verdict.at": time(8),
      "verdict.branchId": branchId,
      "verdict.code": "SLIP_NOT_FOUND",
      "verdict.why": "the bank knows no such transfer",
      "verdict.gateway": "stub",
      "verdict.charged": false,
      "job.status": "not_found"
    })
  })

  live("of a branch has its settings and the use of its quota", function* () {
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
  })

  live("of a branch says since when its default key works, also after a key with a name was issued", function* () {
    const { branchAt } = yield* given
    const limits = { scopes: allScopes, expiresAt: null, networks: null }
    const issue = {
      _tag: "IssueApiKey",
      keyDigest: "key-3",
      name: "Till",
      limits,
      by: null,
      at: minute(40)
    } as const
    yield* handleCommand(branches, streamOf.branch(branchId), issue, byService("b/4", minute(40)))
    assert.deepNestedInclude(yield* branchAt(60), { keyIssuedAt: time(20) })
  })

  live("contains no name and no secret", function* () {
    const { branchAt, jobAt, slipAt, verificationAt } = yield* given
    const states = JSON.stringify([
      yield* branchAt(60),
      yield* jobAt(60),
      yield* slipAt(60),
      yield* verificationAt(0)(60)
    ])
    for (const secret of [...personal, "t0k3n", "key-1", "key-2"]) assert.notInclude(states, secret)
  })
})
