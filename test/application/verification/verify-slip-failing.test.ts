import { assert, describe, it } from "../../support/it.ts"
import { Effect, Exit } from "effect"
import type { GatewayAnswer } from "../../../ports/bank-gateway.ts"
import { EgressError, type EgressReason } from "../../../ports/egress.ts"
import { SlipReaderError, type SlipReading } from "../../../ports/slip-reader.ts"
import { encodeSlipPayload } from "../../../domain/slip/payload.ts"
import { qrSlipsOf } from "../../../domain/slip/qr-slips.ts"
import { newSlip } from "../../support/client.ts"
import { callerOf, givenVerifier } from "../given-verifier.ts"

const shop = callerOf({ quota: 1 })

const unanswered = new Error("the test's bank has no answer for this")

/** The fields that the event of every failure has. */
const commonFields = { serviceId: "service-1", branchId: "branch-1" }

/** A reference of BBL contains the time of the transfer: here the time of the test clock. */
const freshBblSlip = encodeSlipPayload("002", "1970010107000000000000001")

const reading = (texts: ReadonlyArray<string>): SlipReading => ({
  format: "png",
  width: 1,
  height: 1,
  slips: qrSlipsOf(texts),
  texts,
  tookMillis: 1
})

interface Case {
  readonly title: string
  readonly text?: string
  readonly answer?: GatewayAnswer
  readonly tag: string
  readonly code: string
  readonly why: string
  readonly isBankCalled?: boolean
}

const cases: ReadonlyArray<Case> = [
  {
    title: "a text that is not a slip",
    text: "hello",
    tag: "NoSlip",
    code: "SLIP_NOT_FOUND",
    why: "the QR text is broken"
  },
  {
    title: "a wrong checksum",
    text: newSlip().payload.replace(/.{4}$/u, (crc) => crc === "0000" ? "0001" : "0000"),
    tag: "NoSlip",
    code: "SLIP_NOT_FOUND",
    why: "the checksum of the QR text is wrong"
  },
  {
    title: "a bank that does not exist",
    text: newSlip({ bank: "999" }).payload,
    tag: "SlipUnknown",
    code: "SLIP_NOT_FOUND",
    why: "no bank has the sending bank's code"
  },
  {
    title: "a transfer that the bank does not know",
    answer: { _tag: "NotFound" },
    tag: "SlipUnknown",
    code: "SLIP_NOT_FOUND",
    why: "the bank knows no such transfer",
    isBankCalled: true
  },
  {
    title: "a transfer within the pending window of its bank",
    text: freshBblSlip,
    answer: { _tag: "NotFound" },
    tag: "SlipPending",
    code: "SLIP_PENDING",
    why: "the bank does not know the transfer yet",
    isBankCalled: true
  },
  {
    title: "a transfer that the bank calls pending",
    answer: { _tag: "Pending", retryAfterSeconds: 40 },
    tag: "SlipPending",
    code: "SLIP_PENDING",
    why: "the bank does not know the transfer yet",
    isBankCalled: true
  },
  {
    title: "a bank that is down",
    answer: { _tag: "Unavailable", why: "the bank is down", retryAfterSeconds: 30 },
    tag: "UpstreamUnavailable",
    code: "API_SERVER_ERROR",
    why: "the bank is down",
    isBankCalled: true
  }
]

describe("a verification that fails", () => {
  it.effect.each(cases)("charges nothing and appends one event with the reason: $title", function* (given) {
    const { bank, events, verify } = yield* givenVerifier
    const found = bank.answer
    bank.answer = () => given.answer === undefined ? Effect.die(unanswered) : Effect.succeed(given.answer)
    const verificationId = "00000000-0000-4000-8000-000000000001"

    const error = yield* Effect.flip(verify(given.text ?? newSlip().payload, shop, { verificationId }))

    assert.strictEqual(error._tag, given.tag)
    const log = yield* events
    assert.lengthOf(log, 1)
    assert.deepInclude(log[0], { stream: `verification-${verificationId}`, type: "VerificationFailed" })
    const { slipDigest, tailDigest, ...data } = log[0]?.data ?? {}
    assert.deepStrictEqual(data, {
      ...commonFields,
      verificationId,
      at: "1970-01-01T00:00:00.000Z",
      code: given.code,
      why: given.why,
      gateway: given.isBankCalled === true ? "stub" : null,
      gatewayMillis: given.isBankCalled === true ? 12 : null,
      upstream: null,
      askedBefore: [],
      tookMillis: 0
    })
    assert.strictEqual(slipDigest === null, given.tag === "NoSlip")
    assert.strictEqual(tailDigest === undefined, given.tag === "NoSlip")
    bank.answer = found
    assert.isTrue(
      Exit.isSuccess(yield* Effect.exit(verify(newSlip().payload, shop))),
      "the quota of 1 is still available"
    )
  })

  it.effect("asks no bank and charges nothing when a picture shows several slips, and verifies one that is shown twice", function* () {
    const { bank, events, stubs, verify } = yield* givenVerifier
    const [first, second] = [newSlip().payload, newSlip().payload]
    const source = { _tag: "Image", bytes: new Uint8Array(1) } as const
    stubs.read = () => Effect.succeed(reading([first, "https://example.com", second]))
    assert.strictEqual((yield* Effect.flip(verify("", shop, { source })))._tag, "SeveralSlips")
    assert.deepStrictEqual(bank.questions, [])
    const [event] = yield* events
    const why = "the picture shows more than one slip, so it does not say which one is meant"
    assert.deepInclude(event?.data, { code: "SLIP_NOT_FOUND", why, severalSlips: true, slipDigest: null })

    stubs.read = () => Effect.succeed(reading([first, first]))
    assert.isNull((yield* verify("", shop, { source })).duplicate, "the quota of 1 is still available")
  })

  it.effect("claims nothing, so that a slip that a bank finds later is no duplicate", function* () {
    const { bank, verify } = yield* givenVerifier
    const found = bank.answer
    const { payload } = newSlip()
    bank.answer = () => Effect.succeed({ _tag: "NotFound" })
    yield* Effect.flip(verify(payload, shop))
    bank.answer = found

    assert.isNull((yield* verify(payload, shop)).duplicate)
  })

  it.effect.each(
    [
      ["without any QR code", reading([]), "there is no QR code in the picture"],
      ["with other QR codes only", reading(["https://example.com"]), "no QR code in the picture is from a bank slip"]
    ] as const
  )("fails for a picture %s", function* ([, read, why]) {
    const { events, stubs, verify } = yield* givenVerifier
    stubs.read = () => Effect.succeed(read)

    const error = yield* Effect.flip(verify("", shop, { source: { _tag: "Image", bytes: new Uint8Array(1) } }))

    assert.strictEqual(error._tag, "NoSlip")
    assert.deepStrictEqual((yield* events).map(({ data }) => data["why"]), [why])
  })

  it.effect("says nothing about the slip when its picture was not read in time", function* () {
    const { stubs, verify } = yield* givenVerifier
    stubs.read = () => Effect.fail(new SlipReaderError({ reason: "deadline" }))

    const error = yield* Effect.flip(verify("", shop, { source: { _tag: "Image", bytes: new Uint8Array(1) } }))

    assert.deepInclude({ ...error }, { _tag: "ReaderUnavailable", reason: "deadline" })
  })

  it.effect.each(
    ["not-an-image", "corrupt", "too-large", "too-many-pixels", "busy", "deadline", "unavailable"] as const
  )("appends no event when the picture can't be read: %s", function* (reason) {
    const { events, stubs, verify } = yield* givenVerifier
    stubs.read = () => Effect.fail(new SlipReaderError({ reason }))

    const error = yield* Effect.flip(verify("", shop, { source: { _tag: "Image", bytes: new Uint8Array(1) } }))

    assert.include(["ImageUnusable", "ReaderUnavailable"], error._tag)
    assert.deepStrictEqual(yield* events, [])
  })

  it.effect.each(["not-public", "protocol", "unresolvable", "timeout", "too-large"] satisfies Array<EgressReason>)(
    "appends no event when the picture can't be fetched: %s",
    function* (reason) {
      const { events, stubs, verify } = yield* givenVerifier
      stubs.request = () => Effect.fail(new EgressError({ reason, detail: "" }))

      const error = yield* Effect.flip(verify("", shop, { source: { _tag: "ImageUrl", url: "http://a.test/" } }))

      assert.deepInclude({ ...error }, { _tag: "ImageUrlFailed", reason })
      assert.deepStrictEqual(yield* events, [])
    }
  )
})
