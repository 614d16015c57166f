import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeFairPermits } from "../../../application/fairness/fair-permits.ts"
import { slipDigest } from "../../../application/sealing/sealed-data.ts"
import { verifyWalletData } from "../../../application/verification/verification-view.ts"
import { requireWalletGateway, WalletPictures } from "../../../application/verification/wallet-slip.ts"
import { encodeSlipPayload } from "../../../domain/slip/payload.ts"
import { qrSlipsOf } from "../../../domain/slip/qr-slips.ts"
import { encodeWalletPayload } from "../../../domain/slip/wallet-payload.ts"
import { walletTransfer } from "../../../domain/slip/wallet-transfer.ts"
import { satang } from "../../../domain/money.ts"
import { streamOf } from "../../../domain/events/aggregates.ts"
import { BankGateway } from "../../../ports/bank-gateway.ts"
import { callerOf, givenVerifier, types } from "../given-verifier.ts"
import { walletQuestion } from "../../support/views.ts"

const transactionId = "50000000000001"
const walletText = encodeWalletPayload(transactionId, "P2P", "2026-11-22")

/** The bytes of a picture, which must never reach the log. */
const bytes = new TextEncoder().encode("the bytes of a picture")

const picture = { kind: "truemoney", source: { _tag: "Image", bytes } } as const

const transfer = walletTransfer({
  transactionId,
  transferredAt: "2026-11-22T10:15:00+07:00",
  amount: satang(99_00),
  senderName: "สมชาย ***",
  receiverName: "มานี ***",
  receiverPhone: "080-***-1234"
})

/** A verifier whose reader finds these QR texts in every picture. */
const givenPictures = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const fixture = yield* givenVerifier
  fixture.stubs.read = () =>
    Effect.succeed({ format: "jpeg", width: 1, height: 1, slips: qrSlipsOf(texts), texts, tookMillis: 1 })
  fixture.bank.answer = () => Effect.succeed({ _tag: "Found", transfer })
  return {
    ...fixture,
    verifyWallet: (caller = callerOf()) => fixture.verify("", caller, picture)
  }
})

describe("the verification of a TrueMoney slip", () => {
  it.effect("asks with the picture and the id of its QR code, and answers with the transfer", function* () {
    const { bank, events, ports, verifyWallet } = yield* givenPictures(["https://ads.example", walletText])

    const { verificationId, ...data } = verifyWalletData(yield* verifyWallet())

    assert.deepStrictEqual(bank.questions, [walletQuestion(transactionId, { picture: { bytes, format: "jpeg" } })])
    assert.deepStrictEqual(data, {
      isDuplicate: false,
      amountInSlip: 99,
      matchedAccount: null,
      rawSlip: {
        transactionId,
        date: "2026-11-22T10:15:00+07:00",
        amount: 99,
        sender: { name: "สมชาย ***" },
        receiver: { name: "มานี ***", phone: "080-***-1234" }
      }
    })
    const [event] = yield* events
    const digest = yield* Effect.provide(slipDigest("TRUEMONEY", `TW${transactionId}`), ports)
    assert.strictEqual(event?.stream, streamOf.slip("service-1", digest))
    assert.deepInclude(event?.data, { sendingBank: "TRUEMONEY", amount: 9900, charged: true })
    const log = JSON.stringify(event?.data)
    for (const secret of [transactionId, "080-***-1234", "มานี", Buffer.from(bytes).toString("base64")]) {
      assert.notInclude(log, secret)
    }
    assert.isNotEmpty(verificationId)
  })

  it.effect("answers a duplicate from the log, free for the branch and without a gateway", function* () {
    const { bank, events, verifyWallet } = yield* givenPictures([walletText])
    yield* verifyWallet()
    const again = verifyWalletData(yield* verifyWallet(callerOf({ quota: 1 })))
    assert.deepInclude(again, { isDuplicate: true, amountInSlip: 99 })
    assert.strictEqual(again.rawSlip.transactionId, transactionId)
    assert.strictEqual(bank.questions.length, 1)
    assert.deepStrictEqual(types(yield* events), ["SlipVerified", "SlipVerifiedAgain"])
  })

  it.effect("is not the duplicate of a bank's slip with the same reference", function* () {
    const { verify, verifyWallet } = yield* givenPictures([walletText])
    yield* verify(encodeSlipPayload("014", `TW${transactionId}`))
    assert.isNull((yield* verifyWallet()).duplicate)
  })

  it.effect("asks no gateway about a picture without the QR code of a TrueMoney slip", function* () {
    for (const [texts, reason] of [[[], "no-qr"], [["https://ads.example"], "no-wallet-qr"]] as const) {
      const { bank, events, verifyWallet } = yield* givenPictures(texts)
      const failure = yield* Effect.flip(verifyWallet())
      assert.deepInclude({ ...failure }, { _tag: "NoSlip", reason })
      assert.deepStrictEqual(bank.questions, [])
      assert.deepInclude((yield* events)[0]?.data, { code: "SLIP_NOT_FOUND", slipDigest: null })
    }
  })

  it.effect("refuses the slip of a bank, and the log says why", function* () {
    const { bank, events, verifyWallet } = yield* givenPictures([encodeSlipPayload("004", "R1")])
    assert.deepInclude({ ...(yield* Effect.flip(verifyWallet())) }, { _tag: "WrongSlipKind", found: "bank" })
    assert.deepStrictEqual(bank.questions, [])
    assert.deepInclude((yield* events)[0]?.data, {
      code: "SLIP_NOT_FOUND",
      why: "the slip is from a bank, and a TrueMoney slip was requested"
    })
  })

  it.effect("refuses a picture that shows another slip too, of TrueMoney or of a bank", function* () {
    const otherWallet = encodeWalletPayload("50000000000002", "P2P", "2026-11-21")
    for (const other of [otherWallet, encodeSlipPayload("004", "R1")]) {
      const { bank, events, verify, verifyWallet } = yield* givenPictures([walletText, other])
      assert.strictEqual((yield* Effect.flip(verifyWallet()))._tag, "SeveralSlips")
      assert.strictEqual(
        (yield* Effect.flip(verify("", callerOf(), { source: picture.source })))._tag,
        "SeveralSlips"
      )
      assert.deepStrictEqual(bank.questions, [])
      for (const { data } of yield* events) {
        assert.deepInclude(data, { code: "SLIP_NOT_FOUND", severalSlips: true, slipDigest: null })
      }
    }
  })

  it.effect("holds a bounded number of pictures of a branch", function* () {
    const { bank, verifyWallet } = yield* givenPictures([walletText])
    const asked = yield* Deferred.make<void>()
    bank.answer = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
    const permits = makeFairPermits({ size: 2, perKey: 1, spare: 1, maxWaiting: 8, maxWait: "3 seconds" })
    const limited = Effect.provideService(verifyWallet(), WalletPictures, permits)
    yield* Effect.forkChild(limited, { startImmediately: true })
    yield* Deferred.await(asked)
    const refused = yield* Effect.forkChild(Effect.flip(limited), { startImmediately: true })
    yield* TestClock.adjust("3 seconds")
    assert.deepInclude({ ...(yield* Fiber.join(refused)) }, { _tag: "ReaderUnavailable", reason: "branch-busy" })
  })
})

describe("the verification of a bank's slip", () => {
  it.effect("refuses a TrueMoney slip, as a text and as a picture", function* () {
    const { bank, verify } = yield* givenPictures([walletText])
    for (const request of [{}, { source: picture.source }]) {
      const failure = yield* Effect.flip(verify(walletText, callerOf(), request))
      assert.deepInclude({ ...failure }, { _tag: "WrongSlipKind", found: "truemoney" })
    }
    assert.deepStrictEqual(bank.questions, [])
  })
})

describe("an installation without a gateway for TrueMoney slips", () => {
  it.effect("says so", function* () {
    const verify = () => Effect.die("not asked")
    const failure = yield* Effect.flip(
      Effect.provideService(requireWalletGateway, BankGateway, { verify, verifiesWallets: false })
    )
    assert.strictEqual(failure._tag, "WalletsNotSupported")
  })
})
