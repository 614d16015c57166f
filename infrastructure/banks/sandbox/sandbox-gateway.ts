import { Clock, Effect, Layer, Result, Schema } from "effect"
import { BankGateway, type GatewayAnswer, type SlipQuestion } from "../../../ports/bank-gateway.ts"
import { isSendingBank } from "../../../domain/bank.ts"
import { Transfer } from "../../../domain/slip/transfer.ts"
import { makeFailureCount } from "./failure-count.ts"
import { sandboxTransfer } from "./sandbox-transfer.ts"
import { parseTransRef, type SandboxRef } from "./trans-ref.ts"

/** How long after the transfer a slip with the outcome `pending` becomes known, in seconds. */
export const PENDING_SECONDS = 60

/** How often a slip with the outcome `retry` finds the bank down, in one process. */
export const FAILURES_BEFORE_FOUND = 2

/** How long the bank thinks about a slip with the outcome `slow`, in milliseconds. */
export const SLOW_MILLIS = 3000

const RETRY_AFTER_SECONDS = 30

/**
 * The sandbox bank: every answer follows from the transRef (docs/spec/operations.md, "The sandbox bank"), so each
 * process gives the same one. The single thing remembered is how often a slip with the outcome `retry` was refused.
 */
export const layerSandboxGateway: Layer.Layer<BankGateway> = Layer.sync(BankGateway, () => {
  const refusals = makeFailureCount(FAILURES_BEFORE_FOUND)

  const answerTo = (ref: SandboxRef, question: SlipQuestion, now: number): Effect.Effect<GatewayAnswer> => {
    switch (ref.outcome) {
      case "found":
        return Effect.succeed(found(ref, question))
      case "not-found":
        return Effect.succeed(notFound)
      case "pending": {
        const leftMillis = (ref.seconds + PENDING_SECONDS) * 1000 - now
        return Effect.succeed(
          leftMillis > 0 ? { _tag: "Pending", retryAfterSeconds: Math.ceil(leftMillis / 1000) } : found(ref, question)
        )
      }
      case "down":
        return Effect.succeed(unavailable("the sandbox bank is down"))
      case "retry":
        return Effect.succeed(
          refusals.fails(`${question.sendingBank}:${question.transRef}`)
            ? unavailable("the sandbox bank is down for a moment")
            : found(ref, question)
        )
      case "slow":
        return Effect.as(Effect.sleep(SLOW_MILLIS), found(ref, question))
      case "nonsense":
        return Effect.succeed(read(nonsense(ref, question)))
    }
  }

  return BankGateway.of({
    verify: Effect.fnUntraced(function* (question: SlipQuestion) {
      const clock = yield* Clock.Clock
      const begun = clock.currentTimeMillisUnsafe()
      const ref = isSendingBank(question.sendingBank) ? parseTransRef(question.transRef) : undefined
      const answer = ref === undefined ? notFound : yield* answerTo(ref, question, begun)
      const tookMillis = clock.currentTimeMillisUnsafe() - begun
      return { gateway: "sandbox", tookMillis, answer, upstream: null, before: [] }
    })
  })
})

const notFound: GatewayAnswer = { _tag: "NotFound" }

const unavailable = (why: string): GatewayAnswer => ({
  _tag: "Unavailable",
  why,
  retryAfterSeconds: RETRY_AFTER_SECONDS
})

const found = (ref: SandboxRef, { sendingBank, transRef }: SlipQuestion): GatewayAnswer =>
  read(sandboxTransfer(ref, sendingBank, transRef))

/** What the bank sends when it talks nonsense: the amount as text, and nothing of the receiver. */
const nonsense = (ref: SandboxRef, { sendingBank, transRef }: SlipQuestion): unknown => {
  const { receiver: _, ...rest } = sandboxTransfer(ref, sendingBank, transRef)
  return { ...rest, amount: `${ref.amount} satang` }
}

const decodeTransfer = Schema.decodeUnknownResult(Transfer)

/** The bank's word is taken for nothing before it was decoded, in the sandbox as anywhere. */
const read = (body: unknown): GatewayAnswer =>
  Result.match(decodeTransfer(body), {
    onSuccess: (transfer): GatewayAnswer => ({ _tag: "Found", transfer }),
    onFailure: (error) => unavailable(`the sandbox bank answered nonsense: ${oneLine(error.message)}`)
  })

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim()
