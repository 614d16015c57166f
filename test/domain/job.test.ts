import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { fold } from "../../domain/decider.ts"
import { job, type JobCommand, JobEvent, type JobState, type VerificationEnqueued } from "../../domain/job.ts"
import { satang } from "../../domain/money.ts"
import { Sealed } from "../../domain/sealed.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"
import { runs } from "../support/runs.ts"

const sealed = (c: string): Sealed => ({ k: "master", n: "bm9uY2U=", c })
const at = "2026-11-21T08:45:00.000Z"
const later = "2026-11-21T08:45:02.000Z"
const retryAt = "2026-11-21T08:45:32.000Z"
const result = sealed("cmVzdWx0")

const slipToEnqueue = {
  jobId: "j-1",
  batchId: "b-1",
  batchIndex: 0,
  batchSize: 2,
  serviceId: "s-1",
  branchId: "silom",
  at,
  month: "2026-11",
  charged: true,
  source: sealed("c291cmNl"),
  remark: sealed("cmVtYXJr"),
  expectedAmount: satang(150_050),
  accounts: null,
  callbackUrl: "https://shop.example/hook"
}
const enqueue: JobCommand = { _tag: "Enqueue", ...slipToEnqueue }
const enqueued: VerificationEnqueued = { _tag: "VerificationEnqueued", ...slipToEnqueue, nextAttemptAt: at }

const failure = {
  attempt: 1,
  at: later,
  code: "SLIP_PENDING",
  why: "the bank does not know the transfer yet",
  slipDigest: "d1",
  gateway: "sandbox",
  gatewayMillis: 12,
  upstream: null,
  askedBefore: []
}
const fail: JobCommand = { _tag: "FailAttempt", ...failure, nextAttemptAt: retryAt, result: null }
const failFinally: JobCommand = { _tag: "FailAttempt", ...failure, nextAttemptAt: null, result }
const failed: JobEvent = {
  _tag: "VerificationAttemptFailed",
  jobId: "j-1",
  branchId: "silom",
  ...failure,
  nextAttemptAt: retryAt
}

const owner = {
  jobId: "j-1",
  batchId: "b-1",
  serviceId: "s-1",
  branchId: "silom",
  month: "2026-11",
  callbackUrl: "https://shop.example/hook"
}
const verdict = { at: later, charged: true, isDuplicate: false, slipDigest: "d1", result }
const succeed: JobCommand = { _tag: "Succeed", attempt: 1, ...verdict }
const succeeded: JobEvent = { _tag: "JobSucceeded", ...owner, attempt: 1, ...verdict }
const notFound: JobEvent = { _tag: "JobNotFound", ...owner, attempt: 1, at: later, code: "SLIP_PENDING", result }

describe("an enqueued job", () => {
  it("has all input of its attempts, and is due at once", () => {
    given(job).when(enqueue).then(enqueued)
  })

  it("may have no batch, no expected amount and no callback URL", () => {
    const alone = {
      batchId: null,
      batchIndex: null,
      batchSize: null,
      remark: null,
      expectedAmount: null,
      callbackUrl: null,
      charged: false
    }
    given(job).when({ ...enqueue, ...alone }).then({ ...enqueued, ...alone })
  })

  it("is enqueued once", () => {
    given(job, enqueued).when({ ...enqueue, charged: false }).thenNothing()
    given(job, enqueued, succeeded).when(enqueue).thenNothing()
  })

  it.each([fail, failFinally, succeed])("is required before $_tag", (command) => {
    given(job).when(command).thenRejected("JobUnknown")
  })
})

describe("an attempt that failed", () => {
  it("records the reason, the gateway, the duration and the time of the next attempt", () => {
    given(job, enqueued).when(fail).then(failed)
    assert.deepInclude(fold(job, [enqueued, failed]), { attempts: 1, nextAttemptAt: retryAt, ended: null })
  })

  it("records that no gateway was called when there was no slip", () => {
    const withoutGateway = { code: "API_SERVER_ERROR", slipDigest: null, gateway: null, gatewayMillis: null }
    given(job, enqueued).when({ ...fail, ...withoutGateway }).then({ ...failed, ...withoutGateway })
  })

  it("ends the job in the same append when there is no next attempt", () => {
    given(job, enqueued).when(failFinally).then({ ...failed, nextAttemptAt: null }, notFound)
  })

  it("ends the job with the code of the last attempt", () => {
    const second = { attempt: 2, code: "SLIP_NOT_FOUND" }
    given(job, enqueued, failed).when({ ...failFinally, ...second })
      .then({ ...failed, ...second, nextAttemptAt: null }, { ...notFound, ...second })
  })

  it("is recorded once", () => {
    given(job, enqueued, failed).when(fail).thenNothing()
    given(job, enqueued, failed).when(failFinally).thenNothing()
    given(job, enqueued, failed, { ...failed, attempt: 2 }).when(fail).thenNothing()
  })

  it("must follow a recorded attempt", () => {
    given(job, enqueued).when({ ...fail, attempt: 2 }).thenRejected("AttemptSkipped")
    given(job, enqueued, failed).when({ ...succeed, attempt: 3 }).thenRejected("AttemptSkipped")
  })
})

describe("a job that found its slip", () => {
  it("ends with the result, for the branch and month of its acceptance", () => {
    given(job, enqueued).when(succeed).then(succeeded)
    given(job, enqueued, failed).when({ ...succeed, attempt: 2 }).then({ ...succeeded, attempt: 2 })
  })

  it("records that the branch had verified the slip before, so that the unit is released", () => {
    const again = { charged: false, isDuplicate: true }
    given(job, enqueued).when({ ...succeed, ...again }).then({ ...succeeded, ...again })
  })
})

describe("the end of a job", () => {
  const history = {
    success: [enqueued, succeeded],
    "not found": [enqueued, { ...failed, nextAttemptAt: null }, notFound]
  }

  it.each(Object.entries(history))("with %s is final", (_, events) => {
    given(job, ...events).when(fail).thenNothing()
    given(job, ...events).when({ ...failFinally, attempt: 2 }).thenNothing()
    given(job, ...events).when({ ...succeed, attempt: 2 }).thenNothing()
    given(job, ...events).when({ ...succeed, attempt: 9 }).thenNothing()
    assert.isTrue(job.isTerminal(fold(job, events)))
  })

  it("leaves nothing due", () => {
    assert.deepInclude(fold(job, history.success), { attempts: 1, nextAttemptAt: null, ended: succeeded })
    assert.deepInclude(fold(job, history["not found"]), { attempts: 1, nextAttemptAt: null, ended: notFound })
  })

  it("is not reached while attempts fail", () => {
    assert.isFalse(job.isTerminal(job.initialState))
    assert.isFalse(job.isTerminal(fold(job, [enqueued, failed])))
  })
})

const Attempt = Schema.Literals([1, 2, 3])
const Failure = {
  attempt: Attempt,
  at: Schema.String,
  code: Schema.Literals(["SLIP_PENDING", "SLIP_NOT_FOUND", "IMAGE_URL_UNREACHABLE"]),
  why: Schema.String,
  slipDigest: Schema.NullOr(Schema.String),
  gateway: Schema.NullOr(Schema.String),
  gatewayMillis: Schema.NullOr(Schema.Literals([0, 12])),
  upstream: Schema.Null,
  askedBefore: Schema.Tuple([])
}
const { callbackUrl: _, ...enqueuedFields } = JobEvent.cases.VerificationEnqueued.fields
const Command = Schema.Union([
  Schema.Struct({
    ...enqueuedFields,
    _tag: Schema.tag("Enqueue"),
    callbackUrl: Schema.NullOr(Schema.Literal("https://shop.example/hook")),
    batchIndex: Schema.NullOr(Schema.Literals([0, 1])),
    batchSize: Schema.NullOr(Schema.Literal(2)),
    expectedAmount: Schema.Null,
    accounts: Schema.Null
  }),
  Schema.Struct({ _tag: Schema.tag("FailAttempt"), ...Failure, nextAttemptAt: Schema.String, result: Schema.Null }),
  Schema.Struct({ _tag: Schema.tag("FailAttempt"), ...Failure, nextAttemptAt: Schema.Null, result: Sealed }),
  Schema.Struct({
    _tag: Schema.tag("Succeed"),
    attempt: Attempt,
    at: Schema.String,
    charged: Schema.Boolean,
    isDuplicate: Schema.Boolean,
    slipDigest: Schema.String,
    result: Sealed
  })
])
const commands: Arbitrary.Arbitrary<JobCommand> = Arbitrary.schema(Command)

describe("any job", () => {
  itObeysTheLaws(job, JobEvent, commands)

  it.prop("ends at most once, and numbers its attempts without a gap", [
    Arbitrary.array(commands, { maxLength: 30 })
  ], ([sequence]) => {
    const log: Array<JobEvent> = []
    let state: JobState = job.initialState
    for (const command of sequence) {
      const events = Result.getOrElse(job.decide(command, state), () => [])
      state = fold(job, events, state)
      log.push(...events)
    }
    const attempts = log.flatMap((event) => event._tag === "VerificationAttemptFailed" ? [event.attempt] : [])
    const ends = log.filter(({ _tag }) => _tag === "JobSucceeded" || _tag === "JobNotFound")

    assert.deepStrictEqual(attempts, attempts.map((_, index) => index + 1))
    assert.isAtMost(ends.length, 1)
    assert.isTrue(ends.length === 0 || log.at(-1) === ends[0])
  }, { arbitrary: { runs: runs(100), size: 30 } })
})
