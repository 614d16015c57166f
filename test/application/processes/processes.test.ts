import { assert, describe, it } from "@effect/vitest"
import { deliveryProcess, statusMeaning } from "../../../application/callbacks/delivery-process.ts"
import { verificationProcess } from "../../../application/jobs/verification-process.ts"
import { callback, type CallbackEvent } from "../../../domain/callback.ts"
import { fold } from "../../../domain/decider.ts"
import { job, type JobEvent } from "../../../domain/job.ts"
import { attemptFailed, enqueued, notFound, succeeded, time } from "../../projections/job-fixtures.ts"

const about = { jobId: "j-1", branchId: "silom", host: "shop.example" }
const answer = { ...about, attempt: 1, at: time.answered, tookMillis: 40 }
const scheduled: CallbackEvent = {
  _tag: "CallbackScheduled",
  ...about,
  url: "https://shop.example/hook",
  bodyDigest: "e3b0",
  at: time.sent,
  nextAttemptAt: time.sent
}
const sent: CallbackEvent = { _tag: "CallbackSent", ...about, attempt: 1, at: time.sent }
const failed: CallbackEvent = {
  _tag: "CallbackAttemptFailed",
  ...answer,
  status: null,
  reason: "no answer within 10 s",
  nextAttemptAt: time.resend
}
const delivered: CallbackEvent = { _tag: "CallbackDelivered", ...answer, status: 204 }
const reopened: CallbackEvent = {
  _tag: "CallbackRedeliveryRequested",
  ...about,
  at: time.requested,
  nextAttemptAt: time.requested
}

const afterJob = (...history: ReadonlyArray<JobEvent>) => {
  const state = fold(job, history)
  const { isTerminal, react, resume } = verificationProcess
  return { react: react(state), resume: resume(state), isOver: isTerminal(state) }
}

const after = (end: JobEvent, ...history: ReadonlyArray<CallbackEvent>) => {
  const state = { job: fold(job, [enqueued, end]), callback: fold(callback, history) }
  const { isTerminal, react, resume } = deliveryProcess
  return { react: react(state), resume: resume(state), isOver: isTerminal(state) }
}

const nothing = { react: undefined, resume: undefined }
const both = <A>(step: A) => ({ react: step, resume: step, isOver: false })

describe("the verification of a job", () => {
  const step = { jobId: "j-1" }

  it("is due when the job is accepted, and again at the retry time in the log", () => {
    assert.deepStrictEqual(afterJob(enqueued), both({ ...step, dueAt: Date.parse(time.begun), attempt: 1, retry: 1 }))
    assert.deepStrictEqual(
      afterJob(enqueued, attemptFailed),
      both({ ...step, dueAt: Date.parse(time.retry), attempt: 2, retry: 2 })
    )
  })

  it("has nothing to do without a job or after its end", () => {
    assert.deepStrictEqual(afterJob(), { ...nothing, isOver: false })
    assert.deepStrictEqual(afterJob(enqueued, succeeded), { ...nothing, isOver: true })
    assert.deepStrictEqual(afterJob(enqueued, notFound), { ...nothing, isOver: true })
  })
})

describe("the delivery of a callback", () => {
  const { result } = succeeded
  const url = "https://shop.example/hook"
  const step = { jobId: "j-1", branchId: "silom", url, result } as const

  it.each([succeeded, notFound])("is due when the job ends: $_tag", (end) => {
    assert.deepStrictEqual(after(end), both({ ...step, dueAt: Date.parse(time.ended), attempt: 1, retry: 1 }))
  })

  it("is never due while the job is open", () => {
    assert.deepStrictEqual(after(attemptFailed), { ...nothing, isOver: false })
  })

  it("has ended at once without a URL", () => {
    assert.deepStrictEqual(after({ ...succeeded, callbackUrl: null }), { ...nothing, isOver: true })
  })

  it("waits for the outcome of an attempt, and is sent again at once by another process that takes over", () => {
    assert.deepStrictEqual(after(succeeded, scheduled, sent), {
      react: undefined,
      resume: { ...step, dueAt: Date.parse(time.sent), attempt: 2, retry: 1 },
      isOver: false
    })
  })

  it("is due again at the retry time in the log", () => {
    const next = { ...step, dueAt: Date.parse(time.resend), attempt: 2, retry: 2 }
    assert.deepStrictEqual(after(succeeded, scheduled, sent, failed), both(next))
  })

  it("has ended with the callback, until a redelivery is requested", () => {
    assert.deepStrictEqual(after(succeeded, scheduled, sent, delivered), { ...nothing, isOver: true })
    const again = { ...step, dueAt: Date.parse(time.requested), attempt: 2, retry: 1 }
    assert.deepStrictEqual(after(succeeded, scheduled, sent, delivered, reopened), both(again))
  })
})

describe("the answer of a receiver", () => {
  it.each(
    [
      [200, "Delivered"],
      [299, "Delivered"],
      [400, "Rejected"],
      [404, "Rejected"],
      [429, "Rejected"],
      [499, "Rejected"],
      [101, "Failed"],
      [199, "Failed"],
      [300, "Failed"],
      [399, "Failed"],
      [500, "Failed"],
      [599, "Failed"]
    ] as const
  )("of %d means %s", (status, meaning) => {
    assert.strictEqual(statusMeaning(status), meaning)
  })
})
