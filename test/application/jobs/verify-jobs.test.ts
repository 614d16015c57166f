import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { jobs } from "../../../domain/events/aggregates.ts"
import { SlipUnknown, UpstreamUnavailable } from "../../../application/verification/ask-bank.ts"
import { openJobResult } from "../../../application/sealing/sealed-data.ts"
import {
  ImageUnusable,
  ImageUrlFailed,
  NoSlip,
  ReaderUnavailable
} from "../../../application/verification/slip-source.ts"
import { AttemptFailed } from "../../../application/verification/verify-slip.ts"
import { EventStoreError } from "../../../ports/event-store.ts"
import { until } from "../../support/advance-clock.ts"
import { givenWorkers, verified, type WorkerFixture } from "../processes/given-worker.ts"

const asked = { gateway: "stub", gatewayMillis: 12, upstream: null, askedBefore: [] }

const failing = (failure: AttemptFailed["failure"], slipDigest: string | null = null) =>
  Effect.fail(new AttemptFailed({ failure, slipDigest }))

const endsWith = ({ eventTypes }: WorkerFixture, end: string, jobId = "j-1") =>
  until(Effect.map(eventTypes(`job-${jobId}`), (types) => types.at(-1) === end))

/** The body that a job ended with. */
const resultOf = Effect.fnUntraced(function* (fixture: WorkerFixture, jobId = "j-1") {
  const ended = (yield* fixture.store.readStream(`job-${jobId}`)).map(jobs.codec.decode).at(-1)
  if (ended === undefined || !("result" in ended)) return yield* Effect.die("the job has not ended")
  return { ended, body: JSON.parse((yield* fixture.inside(openJobResult(ended.result))) ?? "") }
})

describe("a job", () => {
  it.effect("succeeds with its first attempt, and its callback has the result byte for byte", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.attempt = ({ verificationId: jobId }) => Effect.succeed(verified(jobId))
    yield* fixture.start()

    yield* fixture.enqueue("j-1")
    yield* until(Effect.map(fixture.eventTypes("callback-j-1"), (types) => types.at(-1) === "CallbackDelivered"))

    assert.deepStrictEqual(fixture.attempts, [{
      verificationId: "j-1",
      serviceId: "service-1",
      branchId: "branch-1",
      actor: { kind: "branch", id: "branch-1" },
      source: { _tag: "Payload", text: "0041…" },
      remark: undefined,
      expectedAmount: undefined,
      accounts: undefined,
      judging: undefined,
      presentedAt: 0,
      month: "2026-11",
      correlationId: "request-1"
    }])
    const { body, ended } = yield* resultOf(fixture)
    assert.deepInclude(ended, {
      _tag: "JobSucceeded",
      attempt: 1,
      charged: true,
      isDuplicate: false,
      slipDigest: "d1"
    })
    assert.deepInclude(body, { jobId: "j-1", batchId: null, status: "success" })
    assert.strictEqual(body.data.amountInSlip, 100)
    assert.strictEqual(new TextDecoder().decode(fixture.sent[0]?.body), JSON.stringify(body))
    const recorded = yield* fixture.store.readStream("job-j-1")
    assert.deepStrictEqual(new Set(recorded.map(({ metadata }) => metadata.correlationId)), new Set(["request-1"]))
  })

  it.effect("starts at once when it is enqueued, before the due index has it", function* () {
    const fixture = yield* givenWorkers
    const { notify } = yield* fixture.start({ idleMillis: 3_600_000 })

    yield* fixture.enqueue("j-1")
    yield* notify([{ process: "verification", lane: "branch-1", jobId: "j-1" }])

    yield* endsWith(fixture, "JobNotFound")
    yield* until(Effect.sync(() => fixture.sent.length === 1))
  })

  const passing = [
    new UpstreamUnavailable({ why: "it answers nonsense", retryAfterSeconds: 2, asked }),
    new ReaderUnavailable({ reason: "busy" }),
    new ReaderUnavailable({ reason: "deadline" }),
    new ImageUrlFailed({ reason: "unreachable", detail: "unavailable" }),
    new ImageUrlFailed({ reason: "bad-status", detail: "the server answered 503" })
  ]

  it.effect.each(passing)("is retried on schedule after a temporary failure: $_tag", function* (failure) {
    const fixture = yield* givenWorkers
    fixture.stubs.attempt = () => failing(failure)
    yield* fixture.start()

    yield* fixture.enqueue("j-1")
    yield* endsWith(fixture, "JobNotFound")

    const recorded = (yield* fixture.store.readStream("job-j-1")).map(jobs.codec.decode)
    const delays = recorded.flatMap((event) =>
      event._tag === "VerificationAttemptFailed" && event.nextAttemptAt !== null
        ? [Date.parse(event.nextAttemptAt) - Date.parse(event.at)]
        : []
    )
    assert.deepStrictEqual(delays, [3_000, 6_000])
    assert.strictEqual(fixture.attempts.length, 3)
    assert.strictEqual((yield* resultOf(fixture)).body.status, "not_found")
  })

  it.effect("is not attempted before its branch may read pictures again", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.attempt = ({ verificationId: jobId }) =>
      fixture.attempts.length === 1
        ? failing(new ReaderUnavailable({ reason: "over-budget", retryAfterSeconds: 90 }))
        : Effect.succeed(verified(jobId))
    yield* fixture.start()

    yield* fixture.enqueue("j-1")
    yield* endsWith(fixture, "JobSucceeded")

    const moment = (field: "at" | "nextAttemptAt") => fixture.momentOf("job-j-1", "VerificationAttemptFailed", field)
    assert.strictEqual((yield* moment("nextAttemptAt")) - (yield* moment("at")), 90_000)
  })

  const final = [
    new NoSlip({ reason: "wrong-crc" }),
    new SlipUnknown({ reason: "not-found-upstream", asked }),
    new ImageUnusable({ reason: "corrupt", fromUrl: true }),
    new ImageUrlFailed({ reason: "not-public", detail: "" }),
    new ImageUrlFailed({ reason: "too-large", detail: "" })
  ]

  it.effect.each(final)("ends at once after a permanent failure: $_tag", function* (failure) {
    const fixture = yield* givenWorkers
    fixture.stubs.attempt = () => failing(failure)
    yield* fixture.start()

    yield* fixture.enqueue("j-1", { callbackUrl: null, source: { url: "https://images.example/1.png" } })
    yield* endsWith(fixture, "JobNotFound")

    assert.deepStrictEqual(fixture.attempts.map(({ source }) => source), [
      { _tag: "ImageUrl", url: "https://images.example/1.png" }
    ])
    const { body } = yield* resultOf(fixture)
    assert.strictEqual(body.status, "not_found")
    assert.isString(body.error.message)
    assert.isEmpty(fixture.sent)
  })

  it.effect("ends with the fault that was found when it was enqueued, without calling a bank", function* () {
    const fixture = yield* givenWorkers
    const fault = { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid", why: "there is no QR code" }
    yield* fixture.start()

    yield* fixture.enqueue("j-1", { source: { fault } })
    yield* endsWith(fixture, "JobNotFound")

    assert.isEmpty(fixture.attempts)
    assert.deepStrictEqual((yield* resultOf(fixture)).body.error, { code: fault.code, message: fault.message })
  })

  it.effect("loses no attempt while the log is unavailable", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.attempt = ({ verificationId: jobId }) =>
      fixture.attempts.length <= 2
        ? Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
        : Effect.succeed(verified(jobId))
    yield* fixture.start()

    yield* fixture.enqueue("j-1")
    yield* endsWith(fixture, "JobSucceeded")

    assert.deepStrictEqual(yield* fixture.eventTypes("job-j-1"), ["VerificationEnqueued", "JobSucceeded"])
  })

  it.effect("is verified again when its process died before the append", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.attempt = () => Effect.never
    const dying = yield* fixture.start({ claims: fixture.claimsOfCrashedProcess })
    yield* fixture.enqueue("j-1")
    yield* until(Effect.sync(() => fixture.attempts.length === 1))
    yield* dying.stop

    fixture.stubs.attempt = ({ verificationId: jobId }) => Effect.succeed(verified(jobId))
    yield* fixture.start()
    yield* endsWith(fixture, "JobSucceeded")

    assert.deepStrictEqual(fixture.attempts.map(({ verificationId }) => verificationId), ["j-1", "j-1"])
    assert.deepStrictEqual(yield* fixture.eventTypes("job-j-1"), ["VerificationEnqueued", "JobSucceeded"])
  })

  it.effect("is verified once by two processes, and so is each of many jobs", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.attempt = ({ verificationId: jobId }) => Effect.delay(Effect.succeed(verified(jobId)), "1 second")
    const ids = Array.from({ length: 300 }, (_, index) => `j-${index}`)
    for (const id of ids) yield* fixture.enqueue(id, { callbackUrl: null })

    yield* fixture.start()
    yield* fixture.start()
    for (const id of ids) yield* endsWith(fixture, "JobSucceeded", id)

    assert.strictEqual(new Set(fixture.attempts.map(({ verificationId }) => verificationId)).size, ids.length)
    assert.strictEqual(fixture.attempts.length, ids.length)
  })

  it.effect("does not affect other jobs when its attempt dies", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.attempt = ({ verificationId: jobId }) =>
      jobId === "j-bad" ? Effect.die("a fault of this program") : Effect.succeed(verified(jobId))
    yield* fixture.start()

    yield* fixture.enqueue("j-bad")
    for (const id of ["j-1", "j-2"]) {
      yield* fixture.enqueue(id)
      yield* endsWith(fixture, "JobSucceeded", id)
    }

    assert.deepStrictEqual(yield* fixture.eventTypes("job-j-bad"), ["VerificationEnqueued"])
    fixture.stubs.attempt = ({ verificationId: jobId }) => Effect.succeed(verified(jobId))
    yield* endsWith(fixture, "JobSucceeded", "j-bad")
  })

  it.effect("is interrupted and retried when its attempt hangs, without delaying other jobs", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.attempt = ({ verificationId: jobId }) =>
      jobId === "j-slow" && fixture.attempts.length < 40 ? Effect.never : Effect.succeed(verified(jobId))
    yield* fixture.start()
    yield* fixture.enqueue("j-slow")

    for (let n = 0; n < 40; n++) yield* fixture.enqueue(`j-${n}`)
    for (let n = 0; n < 40; n++) yield* endsWith(fixture, "JobSucceeded", `j-${n}`)
    yield* endsWith(fixture, "JobSucceeded", "j-slow")
  })
})
