import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { satang } from "../../../../domain/money.ts"
import { walletTransfer } from "../../../../domain/slip/wallet-transfer.ts"
import { makeFailover } from "../../../../infrastructure/adapters/banks/failover-gateway.ts"
import { makeGateway } from "../../../../infrastructure/adapters/banks/upstream/make-gateway.ts"
import type { BankAnswer } from "../../../../infrastructure/adapters/banks/upstream/gateway.ts"
import type { WalletQuestion } from "../../../../ports/bank-gateway.ts"
import { walletQuestion } from "../../../support/views.ts"

const transactionId = "50000000000001"

const question = walletQuestion(transactionId)

const found: BankAnswer = {
  upstream: "{}",
  answer: {
    _tag: "Found",
    transfer: walletTransfer({
      transactionId,
      transferredAt: "2026-11-22T10:15:00+07:00",
      amount: satang(99_00),
      senderName: "สมชาย ***",
      receiverName: "มานี ***",
      receiverPhone: "080-***-1234"
    })
  }
}

const notFound: BankAnswer = { answer: { _tag: "NotFound", isWeak: true }, upstream: "{}" }

/** A gateway for the slips of one bank. With an answer, it verifies TrueMoney slips too. */
const gatewayOf = (name: string, walletAnswer?: BankAnswer) => {
  const asked: Array<string> = []
  const gateway = makeGateway({
    name,
    title: name,
    check: Effect.void,
    ask: () => Effect.die("no bank's slip is asked about"),
    ...(walletAnswer === undefined ? {} : {
      askWallet: ({ transRef }: WalletQuestion) => {
        asked.push(transRef)
        return Effect.succeed(walletAnswer)
      }
    })
  }, { timeoutMillis: 4_000, concurrency: 2, sendingBanks: ["004"] })
  return { gateway, asked }
}

const failoverOf = (...gateways: ReadonlyArray<ReturnType<typeof gatewayOf>>) =>
  makeFailover(gateways.map(({ gateway }) => gateway))

describe("a question about a TrueMoney slip", () => {
  it.effect("goes to the gateways that verify them, whatever banks they serve", function* () {
    const vendor = gatewayOf("vendor", found)
    const { verifiesWallets, verify } = failoverOf(gatewayOf("bank"), vendor)
    assert.isTrue(verifiesWallets)
    const { answer, before, gateway } = yield* verify(question)
    assert.deepStrictEqual([answer._tag, gateway, before], ["Found", "vendor", []])
    assert.deepStrictEqual(vendor.asked, [question.transRef])
  })

  it.effect("is answered by a second family after an uncertain denial", function* () {
    const { verify } = failoverOf(gatewayOf("first", notFound), gatewayOf("second", found))
    const { answer, before } = yield* verify(question)
    assert.strictEqual(answer._tag, "Found")
    assert.deepStrictEqual(before.map(({ gateway, outcome }) => [gateway, outcome]), [["first", "not-found"]])
  })

  it.effect("is not denied by one vendor alone", function* () {
    const { verify } = failoverOf(gatewayOf("first", notFound))
    assert.strictEqual((yield* verify(question)).answer._tag, "Unavailable")
  })

  it.effect("has no gateway when none verifies them", function* () {
    const { verifiesWallets, verify } = failoverOf(gatewayOf("bank"))
    assert.isFalse(verifiesWallets)
    const { answer } = yield* verify(question)
    assert.deepInclude(answer, { _tag: "Unavailable", why: "no gateway of BANK_GATEWAYS verifies TrueMoney slips" })
  })
})
