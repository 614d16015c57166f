import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { batch, job } from "../../../application/jobs/job-view.ts"
import { isoTime } from "../../../domain/time.ts"
import { callbackOf, notDueYet } from "../given-callback.ts"
import { givenIntake, slipToEnqueue } from "../given-intake.ts"
import { callerOf } from "../given-verifier.ts"

const DAY = 86_400_000
const at = Date.parse("2026-11-21T05:00:00.000Z")
const jobId = "0f8fad5b-d9cb-4f69-a165-70867728950e"
const batchId = "7d444840-9dc0-11d1-b245-5ffdce74fad2"
const withCallback = { callbackUrl: "https://shop.example/told" }

const given = Effect.gen(function* () {
  const intake = yield* givenIntake
  yield* TestClock.setTime(at)
  return {
    ...intake,
    getJob: (id = jobId, branchId = "branch-1") => Effect.provide(job(id, branchId), intake.ports),
    getBatch: (id = batchId, branchId = "branch-1") => Effect.provide(batch(id, branchId), intake.ports)
  }
})

describe("a job", () => {
  it.effect("is readable from the log as soon as it is accepted", function* () {
    const { enqueue, getJob } = yield* given
    yield* enqueue(jobId, slipToEnqueue("x", withCallback))
    assert.deepStrictEqual(yield* getJob(), {
      jobId,
      batchId: null,
      status: "pending",
      timestamp: null,
      createdAt: isoTime(at),
      expiresAt: null,
      attempts: 0,
      nextAttemptAt: isoTime(at),
      callback: notDueYet
    })
  })

  it.effect("has its reason when it ended, and its callback is due at once", function* () {
    const { endJob, enqueue, getJob } = yield* given
    yield* enqueue(jobId, slipToEnqueue("x", withCallback))
    yield* endJob(jobId, at + 1_000)
    const ended = yield* getJob()
    assert.deepInclude(ended, {
      status: "not_found",
      error: { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid" },
      timestamp: isoTime(at + 1_000),
      expiresAt: isoTime(at + 1_000 + 7 * DAY),
      attempts: 1,
      nextAttemptAt: null
    })
    assert.notProperty(ended, "data")
    assert.deepInclude(ended.callback, { state: "pending", attempts: 0, nextAttemptAt: isoTime(at + 1_000) })
  })

  it.effect("without a callback URL has a callback of state none", function* () {
    const { endJob, enqueue, getJob } = yield* given
    yield* enqueue(jobId, slipToEnqueue("x"))
    yield* endJob(jobId, at)
    assert.deepInclude((yield* getJob()).callback, { url: null, state: "none", nextAttemptAt: null })
  })

  it.effect("has each state of its callback", function* () {
    const { getJob, ...intake } = yield* given
    const { record, send } = callbackOf(intake, jobId)
    yield* intake.enqueue(jobId, slipToEnqueue("x", withCallback))
    yield* intake.endJob(jobId, at)
    const callback = Effect.map(getJob(), ({ callback: { url: _, ...state } }) => state)

    yield* send(1, at + 1)
    assert.deepStrictEqual(yield* callback, {
      state: "pending",
      attempts: 1,
      lastStatus: null,
      nextAttemptAt: null,
      deliveredAt: null
    })
    const retryAt = isoTime(at + 5_000)
    yield* record(1, at + 2, { _tag: "Failed", status: 503, reason: "status 503", tookMillis: 1, retryAt })
    assert.deepStrictEqual(yield* callback, {
      state: "pending",
      attempts: 1,
      lastStatus: 503,
      nextAttemptAt: retryAt,
      deliveredAt: null
    })
    yield* send(2, at + 5_000)
    yield* record(2, at + 5_001, { _tag: "Delivered", status: 204, tookMillis: 1 })
    assert.deepStrictEqual(yield* callback, {
      state: "delivered",
      attempts: 2,
      lastStatus: 204,
      nextAttemptAt: null,
      deliveredAt: isoTime(at + 5_001)
    })
  })

  it.effect("is found by its id in upper or lower case", function* () {
    const { enqueue, getJob } = yield* given
    yield* enqueue(jobId, slipToEnqueue("x"))
    assert.strictEqual((yield* getJob(jobId.toUpperCase())).jobId, jobId)
  })

  it.effect("is not found when it is unknown, belongs to another branch, or ended seven days ago", function* () {
    const { endJob, enqueue, getJob } = yield* given
    yield* enqueue(jobId, slipToEnqueue("x"))
    const missing = (id?: string, branchId?: string) =>
      Effect.map(Effect.flip(getJob(id, branchId)), ({ _tag }) => _tag)
    assert.strictEqual(yield* missing(batchId), "JobNotFound")
    assert.strictEqual(yield* missing("../job"), "JobNotFound")
    assert.strictEqual(yield* missing(jobId, "branch-2"), "JobNotFound")

    yield* TestClock.setTime(at + 30 * DAY)
    assert.strictEqual((yield* getJob()).status, "pending", "a pending job does not expire")
    yield* endJob(jobId, at + 30 * DAY)
    yield* TestClock.setTime(at + 37 * DAY - 1)
    assert.strictEqual((yield* getJob()).status, "not_found")
    yield* TestClock.setTime(at + 37 * DAY)
    assert.strictEqual(yield* missing(), "JobNotFound")
  })
})

describe("a batch", () => {
  it.effect("has its jobs and the number of jobs in each state", function* () {
    const { endJob, enqueueBatch, getBatch } = yield* given
    const jobIds = yield* enqueueBatch(batchId, ["a", "b", "c"].map((text) => slipToEnqueue(text)))
    yield* endJob(jobIds[1] ?? "", at)
    assert.deepStrictEqual(yield* getBatch(batchId.toUpperCase()), {
      batchId,
      size: 3,
      counts: { pending: 2, success: 0, not_found: 1 },
      createdAt: isoTime(at),
      jobs: jobIds.map((jobId, index) => ({
        index,
        jobId,
        status: index === 1 ? "not_found" as const : "pending" as const
      }))
    })
  })

  it.effect("is not found when it is unknown, belongs to another branch, is no batch or has expired", function* () {
    const { endJob, enqueue, enqueueBatch, getBatch } = yield* given
    const missing = (id?: string, branchId?: string) =>
      Effect.map(Effect.flip(getBatch(id, branchId)), ({ _tag }) => _tag)
    yield* enqueue(jobId, slipToEnqueue("x"))
    assert.strictEqual(yield* missing(), "JobNotFound")
    assert.strictEqual(yield* missing(jobId), "JobNotFound")
    assert.strictEqual(yield* missing("no-id"), "JobNotFound")

    const [first = "", second = ""] = yield* enqueueBatch(
      batchId,
      [slipToEnqueue("a"), slipToEnqueue("b")],
      callerOf()
    )
    assert.strictEqual(yield* missing(batchId, "branch-2"), "JobNotFound")
    yield* endJob(first, at)
    yield* endJob(second, at + DAY)
    yield* TestClock.setTime(at + 8 * DAY - 1)
    assert.lengthOf((yield* getBatch()).jobs, 2)
    yield* TestClock.setTime(at + 8 * DAY)
    assert.deepInclude(yield* Effect.flip(getBatch()), { _tag: "JobNotFound", expiredAt: at + 8 * DAY })
  })
})
