import { assert, describe, it } from "../../support/it.ts"
import { Effect, Schema } from "effect"
import { type GatewayAnswer } from "../../../ports/bank-gateway.ts"
import { Vault } from "../../../ports/vault.ts"
import { Sealed } from "../../../domain/sealed.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { recordOf } from "../../../domain/events/sealed-record.ts"
import { newSlip } from "../../support/client.ts"
import { callerOf, givenVerifier, transferOf } from "../given-verifier.ts"

const upstream = '{"status":{"code":1000},"data":{"name":"นาย สมชาย"}}\r\n'
const before = [{
  gateway: "kbank",
  tookMillis: 4_000,
  outcome: "unavailable" as const,
  why: "it did not answer in time"
}]
const storedBefore = [{
  gateway: "kbank",
  gatewayMillis: 4_000,
  outcome: "unavailable",
  why: "it did not answer in time"
}]

/** A bank whose gateway is called after another gateway failed, and whose answer is stored. */
const given = Effect.gen(function* () {
  const verifier = yield* givenVerifier
  const answerAs = (answer: (transRef: string) => GatewayAnswer) => {
    verifier.bank.reply = (question) =>
      Effect.succeed({ gateway: "scb", tookMillis: 80, upstream, before, answer: answer(question.transRef) })
  }
  const opened = (event: RecordedEvent | undefined) =>
    Effect.gen(function* () {
      const recorded = event ?? assert.fail("there is no event")
      const sealed = yield* Schema.decodeUnknownEffect(Sealed)(recorded.data["upstream"])
      const place = { record: recordOf(recorded), position: recorded.position }
      return yield* (yield* Vault).open("bank-answer", sealed, place)
    }).pipe(Effect.provide(verifier.ports))
  return { ...verifier, answerAs, opened }
})

describe("the answer of a bank", () => {
  it.effect("is stored unchanged and sealed with the slip, with the gateways that were called before", function* () {
    const { answerAs, events, opened, verify } = yield* given
    answerAs((transRef) => ({ _tag: "Found", transfer: transferOf({ sendingBank: "004", transRef }) }))
    yield* verify(newSlip().payload)
    const [event] = yield* events
    assert.deepInclude(event?.data, { gateway: "scb", gatewayMillis: 80, askedBefore: storedBefore })
    assert.notInclude(JSON.stringify(event?.data), "สมชาย")
    assert.strictEqual(yield* opened(event), upstream)
  })

  const failures: ReadonlyArray<GatewayAnswer> = [
    { _tag: "NotFound" },
    { _tag: "Pending", retryAfterSeconds: 9 },
    { _tag: "Unavailable", why: "it answered an unknown code", retryAfterSeconds: 9 }
  ]
  it.effect.each(failures)("is stored with a failed verification: $_tag", function* (answer) {
    const { answerAs, events, opened, verify } = yield* given
    answerAs(() => answer)
    yield* Effect.flip(verify(newSlip().payload, callerOf()))
    const [event] = yield* events
    assert.strictEqual(event?.type, "VerificationFailed")
    assert.deepInclude(event?.data, { gateway: "scb", gatewayMillis: 80, askedBefore: storedBefore })
    assert.strictEqual(yield* opened(event), upstream)
  })
})
