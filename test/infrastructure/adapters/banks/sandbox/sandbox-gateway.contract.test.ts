import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { BankGateway, type SlipQuestion, type WalletQuestion } from "../../../../../ports/bank-gateway.ts"
import { banks, isSendingBank } from "../../../../../domain/bank.ts"
import { satang } from "../../../../../domain/money.ts"
import { Transfer } from "../../../../../domain/slip/transfer.ts"
import { parseWalletPayload, walletTransRef } from "../../../../../domain/slip/wallet-payload.ts"
import {
  receiverAt,
  receivers,
  WALLET_RECEIVER
} from "../../../../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { layerSandboxGateway } from "../../../../../infrastructure/adapters/banks/sandbox/sandbox-gateway.ts"
import {
  makeSandboxSlip,
  nonceOf,
  type Outcome,
  type SandboxSlipOptions
} from "../../../../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"
import { bankGatewayContract, questionOf } from "../../../../contracts/bank-gateway.ts"

const transferredAt = Date.parse("2026-11-21T15:45:00+07:00")

const slip = (options: Partial<SandboxSlipOptions> = {}): SlipQuestion => ({
  branchId: "branch-1",
  ...makeSandboxSlip({
    amount: satang(150_050),
    bank: "004",
    receiver: 0,
    outcome: "found",
    at: transferredAt,
    nonce: "ABC123",
    ...options
  })
})

const ask = Effect.fnUntraced(function* (question: SlipQuestion | WalletQuestion) {
  return yield* (yield* BankGateway).verify(question)
})

const answerTo = Effect.fnUntraced(function* (question: SlipQuestion | WalletQuestion) {
  return (yield* ask(question)).answer
})

const found = Effect.fnUntraced(function* (question: SlipQuestion | WalletQuestion) {
  const answer = yield* answerTo(question)
  assert(answer._tag === "Found", `the answer was ${answer._tag}`)
  return answer.transfer
})

const decodeTransfer = Schema.decodeUnknownSync(Transfer)

const withGateway = Effect.provide(layerSandboxGateway)

bankGatewayContract("the sandbox bank", {
  layer: layerSandboxGateway,
  gateway: "sandbox",
  known: receivers.map(({ index }) => slip({ receiver: index, nonce: nonceOf(index) })),
  unknown: [
    slip({ outcome: "not-found" }),
    slip({ bank: "999" }),
    questionOf("004", "016325154500APP00001"),
    questionOf("014", "sbxf400037s20tougb000000a"),
    questionOf("002", "1")
  ],
  unavailable: [slip({ outcome: "down" }), slip({ outcome: "nonsense" }), slip({ outcome: "retry" })]
})

describe("the sandbox bank", () => {
  it.effect("returns amount, time and receiver of the transRef", () =>
    Effect.gen(function* () {
      for (const { index, onSlip } of receivers) {
        const transfer = yield* found(slip({ receiver: index, amount: satang(99 + index) }))

        assert.strictEqual(transfer.amount, 99 + index)
        assert.strictEqual(transfer.transferredAt, "2026-11-21T15:45:00+07:00")
        assert.strictEqual(transfer.fee, 0)
        assert.deepStrictEqual(transfer.receiver, onSlip)
        assert.deepStrictEqual(decodeTransfer(transfer), transfer)
      }
    }).pipe(withGateway))

  it.effect("masks the sender as the sending bank does", () =>
    Effect.gen(function* () {
      const shapes = new Map<string, string>()
      for (const { code } of banks.filter((bank) => isSendingBank(bank.code))) {
        const { sender } = yield* found(slip({ bank: code }))
        assert.strictEqual(sender.bank.id, code)
        shapes.set(code, (sender.account.bank?.account ?? "").replace(/\d/gu, "0"))
      }

      assert.strictEqual(shapes.get("004"), "xxx-x-x0000-x")
      assert.strictEqual(shapes.get("014"), "xxxx-xx000-0")
      assert.strictEqual(shapes.get("002"), "000-0-xxx000")
    }).pipe(withGateway))

  it.effect("derives the sender from bank and transRef, the same in every process", function* () {
    const ofNonce = (nonce: number) => found(slip({ nonce: nonceOf(nonce), receiver: 6 }))
    const here = yield* Effect.forEach(Array.from({ length: 40 }, (_, nonce) => nonce), ofNonce).pipe(withGateway)
    const there = yield* Effect.forEach(Array.from({ length: 40 }, (_, nonce) => nonce), ofNonce).pipe(withGateway)

    assert.deepStrictEqual(there, here)
    assert.isAbove(new Set(here.map(({ sender }) => sender.account.name.th)).size, 4)
    assert.strictEqual(new Set(here.map(({ ref1 }) => ref1)).size, 40)
  })

  it.effect("answers pending with the remaining seconds until one minute after the transfer", () =>
    Effect.gen(function* () {
      const fresh = slip({ outcome: "pending" })

      yield* TestClock.setTime(transferredAt + 10_500)
      assert.deepStrictEqual(yield* answerTo(fresh), { _tag: "Pending", retryAfterSeconds: 50 })

      yield* TestClock.setTime(transferredAt + 59_999)
      assert.deepStrictEqual(yield* answerTo(fresh), { _tag: "Pending", retryAfterSeconds: 1 })

      yield* TestClock.setTime(transferredAt + 60_000)
      assert.strictEqual((yield* found(fresh)).transRef, fresh.transRef)
    }).pipe(withGateway))

  it.effect("is always unavailable for a slip with the outcome down", () =>
    Effect.gen(function* () {
      for (let time = 0; time < 5; time++) {
        const answer = yield* answerTo(slip({ outcome: "down" }))
        assert(answer._tag === "Unavailable", `the answer was ${answer._tag}`)
        assert.match(answer.why, /down/u)
      }
    }).pipe(withGateway))

  it.effect("fails twice for a slip with the outcome retry and then finds it", () =>
    Effect.gen(function* () {
      const tags = (question: SlipQuestion) =>
        Effect.forEach([1, 2, 3, 4], () => Effect.map(answerTo(question), ({ _tag }) => _tag))

      const first = yield* tags(slip({ outcome: "retry", nonce: "000001" }))
      const second = yield* tags(slip({ outcome: "retry", nonce: "000002" }))

      assert.deepStrictEqual(first, ["Unavailable", "Unavailable", "Found", "Found"])
      assert.deepStrictEqual(second, first)
    }).pipe(withGateway))

  it.effect("finds a slow slip after three seconds and reports the duration", () =>
    Effect.gen(function* () {
      const reply = yield* Effect.forkChild(ask(slip({ outcome: "slow" })))

      yield* TestClock.adjust("2999 millis")
      assert.isUndefined(reply.pollUnsafe())
      yield* TestClock.adjust("1 millis")

      const { answer, tookMillis } = yield* Fiber.join(reply)
      assert.strictEqual(answer._tag, "Found")
      assert.strictEqual(tookMillis, 3000)
    }).pipe(withGateway))

  it.effect("is unavailable for a slip with the outcome nonsense, and the reply names the invalid field", () =>
    Effect.gen(function* () {
      const answer = yield* answerTo(slip({ outcome: "nonsense" }))

      assert(answer._tag === "Unavailable", `the answer was ${answer._tag}`)
      assert.match(answer.why, /invalid response: .*amount/u)
    }).pipe(withGateway))

  it.effect("starts a new count of failures in a new process", function* () {
    const process = Effect.forEach([1, 2, 3], () => answerTo(slip({ outcome: "retry" }))).pipe(
      Effect.provide(Layer.fresh(layerSandboxGateway))
    )

    const before = yield* process
    const after = yield* process

    assert.deepStrictEqual(after.map(({ _tag }) => _tag), ["Unavailable", "Unavailable", "Found"])
    assert.deepStrictEqual(after, before)
  })
})

describe("a TrueMoney slip of the sandbox bank", () => {
  const walletQuestion = (outcome: Outcome): WalletQuestion => {
    const { payload } = slip({ bank: "TRUEMONEY", receiver: WALLET_RECEIVER.index, outcome })
    const { transactionId } = parseWalletPayload(payload) ?? assert.fail("the payload is not of TrueMoney")
    return {
      branchId: "branch-1",
      sendingBank: "TRUEMONEY",
      transRef: walletTransRef(transactionId),
      transactionId,
      picture: { bytes: new Uint8Array(), format: "png" }
    }
  }

  it.effect("is found with the wallet's phone number, which its registered number agrees with", () =>
    Effect.gen(function* () {
      const question = walletQuestion("found")
      const transfer = yield* found(question)
      assert.deepInclude(transfer, {
        transRef: question.transRef,
        sendingBank: "TRUEMONEY",
        amount: satang(150_050),
        transferredAt: "2026-11-21T15:45:00+07:00"
      })
      const { register: { bankNumber } } = receiverAt(WALLET_RECEIVER.index)
      assert.strictEqual(transfer.receiver.account.proxy?.account, "070-***-2468")
      assert.deepStrictEqual(decodeTransfer(transfer), transfer)
      assert.match(bankNumber, /^070\d{3}2468$/u)
    }).pipe(withGateway))

  it.effect("follows its outcome", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* answerTo(walletQuestion("not-found")))._tag, "NotFound")
      assert.strictEqual((yield* answerTo(walletQuestion("down")))._tag, "Unavailable")
      assert.strictEqual((yield* answerTo({ ...walletQuestion("found"), transactionId: "1" }))._tag, "NotFound")
    }).pipe(withGateway))
})
