import { assert, layer } from "../support/it.ts"
import { Effect, Exit, type Layer, Schema } from "effect"
import { BankGateway, type GatewayReply, type SlipQuestion } from "../../ports/bank-gateway.ts"
import { slipTime } from "../../domain/time.ts"
import { encodeSlipPayload } from "../../domain/slip/payload.ts"
import { Transfer } from "../../domain/slip/transfer.ts"

/** A question about a slip, with its payload. */
export const questionOf = (sendingBank: string, transRef: string): SlipQuestion => ({
  branchId: "branch-1",
  sendingBank,
  transRef,
  payload: encodeSlipPayload(sendingBank, transRef)
})

export interface BankGatewayContract {
  readonly layer: Layer.Layer<BankGateway>
  /** The name of the gateway in its replies. */
  readonly gateway: string
  /** Slips that the bank knows. */
  readonly known: ReadonlyArray<SlipQuestion>
  /** Slips that the bank says it does not know. */
  readonly unknown: ReadonlyArray<SlipQuestion>
  /** Slips without a usable answer: the bank is down, or its answer is invalid. */
  readonly unavailable: ReadonlyArray<SlipQuestion>
}

const label = ({ sendingBank, transRef }: SlipQuestion): string => `${sendingBank} ${transRef}`

/** What every `BankGateway` must do, for any bank. */
export const bankGatewayContract = (name: string, contract: BankGatewayContract): void => {
  const ask = Effect.fnUntraced(function* (question: SlipQuestion) {
    const exit = yield* Effect.exit((yield* BankGateway).verify(question))
    assert.isTrue(Exit.isSuccess(exit), `asking for ${label(question)} failed`)
    const reply = yield* exit
    assert.strictEqual(reply.gateway, contract.gateway)
    assert.isTrue(Number.isFinite(reply.tookMillis) && reply.tookMillis >= 0)
    return reply
  })

  const assertRetryLater = ({ answer }: GatewayReply) => {
    assert(answer._tag === "Unavailable" || answer._tag === "Pending", `the answer was ${answer._tag}`)
    assert.isAbove(answer.retryAfterSeconds, 0)
    assert.isTrue(Number.isInteger(answer.retryAfterSeconds))
  }

  layer(contract.layer)(`${name} as a bank gateway`, (it) => {
    it.effect.each(contract.known)("finds a known slip: $transRef", function* (question) {
      const { answer } = yield* ask(question)

      assert(answer._tag === "Found", `the answer was ${answer._tag}`)
      assert.strictEqual(answer.transfer.transRef, question.transRef)
      assert.strictEqual(answer.transfer.sendingBank, question.sendingBank)
    })

    it.effect.each(contract.known)(
      "returns transfers that survive a round trip through JSON: $transRef",
      function* (question) {
        const { answer } = yield* ask(question)

        assert(answer._tag === "Found", `the answer was ${answer._tag}`)
        const json = JSON.stringify(answer.transfer)
        const read = yield* Schema.decodeUnknownEffect(Transfer, { onExcessProperty: "error" })(JSON.parse(json))
        assert.deepStrictEqual(read, answer.transfer)
        assert.strictEqual(slipTime(Date.parse(read.transferredAt)), read.transferredAt)
        assert.isAbove(read.amount, 0)
        assert.isAtLeast(read.fee, 0)
      }
    )

    it.effect.each(contract.known)("returns the same answer to a repeated call: $transRef", function* (question) {
      const first = yield* ask(question)
      const second = yield* ask(question)

      assert.deepStrictEqual(second.answer, first.answer)
    })

    it.effect.each(contract.unknown)(
      "answers not found for an unknown slip: $sendingBank $transRef",
      function* (question) {
        const { answer } = yield* ask(question)

        assert.deepStrictEqual(answer, { _tag: "NotFound" })
      }
    )

    it.effect.each(contract.unavailable)(
      "does not answer not found without a clear answer of the bank: $transRef",
      function* (question) {
        const reply = yield* ask(question)

        assertRetryLater(reply)
        if (reply.answer._tag === "Unavailable") assert.isAbove(reply.answer.why.length, 0)
      }
    )
  })
}
