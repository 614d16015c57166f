import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describeFailure } from "../../../application/verification/failures.ts"
import type { SlipVerifier } from "../../../application/verification/verify-slip.ts"
import type { GatewayAnswer } from "../../../ports/bank-gateway.ts"
import { EgressError } from "../../../ports/egress.ts"
import { EventStoreError } from "../../../ports/event-store.ts"
import { SlipReaderError } from "../../../ports/slip-reader.ts"
import { branchActor } from "../../../domain/actor.ts"
import { satang } from "../../../domain/money.ts"
import {} from "../../../domain/slip/payload.ts"
import { qrSlipsOf } from "../../../domain/slip/qr-slips.ts"
import { newSlip } from "../../support/client.ts"
import { untilDone } from "../../support/advance-clock.ts"
import { callerOf, givenVerifier, types } from "../given-verifier.ts"

type AttemptInput = Parameters<SlipVerifier["Service"]["attempt"]>[0]

const attemptOf = (text: string, more: Partial<AttemptInput> = {}): AttemptInput => ({
  verificationId: "job-1",
  serviceId: "service-1",
  branchId: "branch-1",
  actor: branchActor("branch-1"),
  source: { _tag: "Payload", text },
  remark: undefined,
  expectedAmount: undefined,
  accounts: undefined,
  month: "2026-11",
  correlationId: "request-1",
  ...more
})

const answers = (answer: GatewayAnswer) => () => Effect.succeed(answer)
const unavailable = answers({ _tag: "Unavailable", why: "it is down", retryAfterSeconds: 7 })

const readable = (...texts: ReadonlyArray<string>) =>
  ({ format: "png", width: 1, height: 1, slips: qrSlipsOf(texts), texts, tookMillis: 1 }) as const

const response = { status: 200, headers: {}, body: new Uint8Array([1]), hops: [] }

describe("an attempt of a job", () => {
  it.effect("verifies under the job's id and charges its month, for the branch", function* () {
    const { attempt, events } = yield* givenVerifier
    yield* TestClock.setTime(Date.parse("2026-12-01T00:00:00.000Z"))
    const slip = newSlip()

    const { charged, slipDigest, verification } = yield* attempt(
      attemptOf(slip.payload, { remark: "order 7", expectedAmount: satang(1) })
    )

    assert.isTrue(charged)
    assert.deepInclude(verification, {
      verificationId: "job-1",
      duplicate: null,
      remark: "order 7",
      expectedAmount: satang(1),
      isAmountMatched: false
    })
    const [event, ...more] = yield* events
    assert.deepStrictEqual(more, [])
    assert.strictEqual(event?.stream, `slip-service-1-${slipDigest}`)
    assert.deepInclude(event?.data, { verificationId: "job-1", month: "2026-11", charged: true })
    assert.deepInclude(event?.metadata, {
      at: "2026-12-01T00:00:00.000Z",
      correlationId: "request-1",
      causationId: "job-1",
      actor: { kind: "branch", id: "branch-1" }
    })
  })

  it.effect("reserves no unit, and reports that the job's unit was not charged", function* () {
    const { attempt, verify } = yield* givenVerifier
    const { payload } = newSlip()
    yield* verify(payload, callerOf({ quota: 1 }))

    const { charged, verification } = yield* attempt(attemptOf(payload))

    assert.isFalse(charged)
    assert.deepInclude(verification.duplicate, { sameBranch: true, count: 2 })
  })

  it.effect("reads the picture from its URL", function* () {
    const { attempt, stubs } = yield* givenVerifier
    const slip = newSlip()
    stubs.request = () => Effect.succeed(response)
    stubs.read = () => Effect.succeed(readable(slip.payload))

    const { verification } = yield* attempt(
      attemptOf("", { source: { _tag: "ImageUrl", url: "https://shop.example/slip.png" } })
    )

    assert.strictEqual(verification.transfer.transRef, slip.transRef)
  })

  it.effect("is answered from the log when it was interrupted after its append, also when the bank is unavailable", function* () {
    const { another, attempt, attemptOfAnother, bank, events, logFaults } = yield* givenVerifier
    const { payload } = newSlip()
    const appended = yield* Deferred.make<void>()
    const end = yield* Deferred.make<void>()
    // The process that appended never receives the answer.
    logFaults.after = (answer) =>
      Deferred.succeed(appended, undefined).pipe(Effect.andThen(Deferred.await(end)), Effect.as(answer))
    const cutOff = yield* Effect.forkChild(attempt(attemptOf(payload)))
    yield* Deferred.await(appended)
    logFaults.after = Effect.succeed
    bank.answer = unavailable
    yield* another(payload, callerOf({ branchId: "branch-2" }))

    const { charged, verification } = yield* attemptOfAnother(attemptOf(payload))

    assert.isTrue(charged)
    assert.isNull(verification.duplicate)
    assert.lengthOf(bank.questions, 1)
    assert.deepStrictEqual(types(yield* events), ["SlipVerified", "SlipVerifiedAgain"])
    assert.isUndefined(cutOff.pollUnsafe())
    yield* Deferred.succeed(end, undefined)
  })

  it.effect("returns the count of its own verification when it is repeated, not of later ones", function* () {
    const { attempt, events, verify } = yield* givenVerifier
    const { payload } = newSlip()
    yield* verify(payload, callerOf({ branchId: "branch-2" }))
    const first = yield* attempt(attemptOf(payload))
    yield* verify(payload, callerOf({ branchId: "branch-3" }))

    const again = yield* attempt(attemptOf(payload))

    assert.deepStrictEqual(again, first)
    assert.deepInclude(again.verification.duplicate, { sameBranch: false, count: 2 })
    assert.lengthOf(yield* events, 3)
  })
})

describe("an attempt without a slip", () => {
  const cases = [
    ["no slip", "not a slip", answers({ _tag: "NotFound" }), "NoSlip", "SLIP_NOT_FOUND", false],
    ["an unknown slip", newSlip().payload, answers({ _tag: "NotFound" }), "SlipUnknown", "SLIP_NOT_FOUND", true],
    [
      "a slip that is pending",
      newSlip().payload,
      answers({ _tag: "Pending", retryAfterSeconds: 60 }),
      "SlipPending",
      "SLIP_PENDING",
      true
    ],
    ["an unavailable bank", newSlip().payload, unavailable, "UpstreamUnavailable", "API_SERVER_ERROR", true]
  ] as const
  it.effect.each(cases)(
    "because of %s appends nothing, and has the digest of the slip if it is known",
    function* ([_, text, answer, tag, code, isKnown]) {
      const { attempt, bank, events } = yield* givenVerifier
      bank.answer = answer

      const failed = yield* Effect.flip(attempt(attemptOf(text)))

      if (failed._tag !== "AttemptFailed") return assert.fail(failed._tag)
      assert.strictEqual(failed.failure._tag, tag)
      assert.strictEqual(failed.slipDigest !== null, isKnown)
      const described = describeFailure(failed.failure)
      assert.strictEqual(described.code, code)
      assert.deepStrictEqual(
        described.asked,
        isKnown ? { gateway: "stub", gatewayMillis: 12, upstream: null, askedBefore: [] } : null
      )
      assert.notStrictEqual(described.why, "")
      assert.deepStrictEqual(yield* events, [])
    }
  )

  const pictures = [
    ["unreachable", new EgressError({ reason: "unreachable", detail: "no answer" }), "IMAGE_URL_UNREACHABLE"],
    ["not public", new EgressError({ reason: "not-public", detail: "10.0.0.1" }), "URL_INVALID_IP_RANGE"],
    ["too large", new EgressError({ reason: "too-large", detail: "" }), "IMAGE_SIZE_TOO_LARGE"],
    ["no picture", new SlipReaderError({ reason: "not-an-image" }), "INVALID_IMAGE_TYPE"],
    ["broken", new SlipReaderError({ reason: "corrupt" }), "INVALID_IMAGE_FORMAT"],
    ["not read because the reader is busy", new SlipReaderError({ reason: "busy" }), "API_SERVER_ERROR"],
    ["not read in time", new SlipReaderError({ reason: "deadline" }), "API_SERVER_ERROR"]
  ] as const
  it.effect.each(pictures)("fails with the reason when the picture is %s", function* ([_, error, code]) {
    const { attempt, stubs } = yield* givenVerifier
    stubs.request = () => error._tag === "EgressError" ? Effect.fail(error) : Effect.succeed(response)
    stubs.read = () => error._tag === "SlipReaderError" ? Effect.fail(error) : Effect.die("no picture must be read")

    const failed = yield* Effect.flip(
      attempt(attemptOf("", { source: { _tag: "ImageUrl", url: "https://shop.example/slip.png" } }))
    )

    if (failed._tag !== "AttemptFailed") return assert.fail(failed._tag)
    assert.strictEqual(describeFailure(failed.failure).code, code)
    assert.isNull(failed.slipDigest)
  })

  it.effect("does not count when the log is unavailable", function* () {
    const { attempt, logFaults } = yield* givenVerifier
    logFaults.before = () => Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
    const fiber = yield* Effect.forkChild(Effect.flip(attempt(attemptOf(newSlip().payload))))
    yield* untilDone(fiber)
    assert.strictEqual((yield* Fiber.join(fiber))._tag, "EventStoreError")
  })
})
