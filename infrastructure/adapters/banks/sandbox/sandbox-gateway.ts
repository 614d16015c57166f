import { Clock, Effect, Layer, Result, Schema } from "effect"
import {
  BankGateway,
  type GatewayAnswer,
  isWalletQuestion,
  type SlipQuestion,
  type WalletQuestion
} from "../../../../ports/bank-gateway.ts"
import { CappedMap } from "../../../../domain/capped-map.ts"
import { isSendingBank } from "../../../../domain/bank.ts"
import { Transfer } from "../../../../domain/slip/transfer.ts"
import { sandboxTransfer } from "./sandbox-transfer.ts"
import { parseTransRef, type SandboxRef } from "./sandbox-slip.ts"

/** Seconds after the transfer until a slip with the outcome `pending` is found. */
export const PENDING_SECONDS = 60

/** How often the bank is unavailable for a slip with the outcome `retry`, in each process. */
export const FAILURES_BEFORE_FOUND = 2

/** Response time for a slip with the outcome `slow`, in milliseconds. */
export const SLOW_MILLIS = 3000

const RETRY_AFTER_SECONDS = 30

type Question = SlipQuestion | WalletQuestion

/** The most slips with the outcome `retry` whose failures are counted. */
const MAX_COUNTED_SLIPS = 10_000

/**
 * The sandbox bank. Every answer follows from the transRef (docs/spec/operations.md, "The sandbox bank"), so every
 * process gives the same answer. Its only state counts the failures of slips with the outcome `retry`.
 */
export const layerSandboxGateway: Layer.Layer<BankGateway> = Layer.sync(BankGateway, () => {
  const failures = new CappedMap<string, number>(MAX_COUNTED_SLIPS)

  const failsAgain = (slip: string): boolean => {
    const count = failures.get(slip) ?? 0
    if (count >= FAILURES_BEFORE_FOUND) return false
    failures.set(slip, count + 1)
    return true
  }

  const answerTo = (ref: SandboxRef, question: Question, now: number): Effect.Effect<GatewayAnswer> => {
    switch (ref.outcome) {
      case "found":
        return Effect.succeed(found(ref, question))
      case "not-found":
        return Effect.succeed(notFound)
      case "pending": {
        // A transfer in the future counts as now.
        const leftMillis = Math.min(ref.seconds * 1000, now) + PENDING_SECONDS * 1000 - now
        return Effect.succeed(
          leftMillis > 0 ? { _tag: "Pending", retryAfterSeconds: Math.ceil(leftMillis / 1000) } : found(ref, question)
        )
      }
      case "down":
        return Effect.succeed(unavailable("the sandbox bank is down"))
      case "retry":
        return Effect.succeed(
          failsAgain(`${question.sendingBank}:${question.transRef}`)
            ? unavailable("the sandbox bank is down for now")
            : found(ref, question)
        )
      case "slow":
        return Effect.as(Effect.sleep(SLOW_MILLIS), found(ref, question))
      case "nonsense":
        return Effect.succeed(decode(invalidResponse(ref, question)))
    }
  }

  return BankGateway.of({
    verifiesWallets: true,
    verify: (question) =>
      Effect.flatMap(Clock.Clock, (clock) => {
        const startedAt = clock.currentTimeMillisUnsafe()
        const ref = refOf(question)
        const answered = ref === undefined ? Effect.succeed(notFound) : answerTo(ref, question, startedAt)
        return Effect.map(answered, (answer) => {
          const tookMillis = clock.currentTimeMillisUnsafe() - startedAt
          return { gateway: "sandbox", tookMillis, answer, upstream: null, before: [] }
        })
      })
  })
})

const refOf = (question: Question): SandboxRef | undefined => {
  if (isWalletQuestion(question)) return parseTransRef(question.transactionId)
  return isSendingBank(question.sendingBank) ? parseTransRef(question.transRef) : undefined
}

const notFound: GatewayAnswer = { _tag: "NotFound" }

const unavailable = (why: string): GatewayAnswer => ({
  _tag: "Unavailable",
  why,
  retryAfterSeconds: RETRY_AFTER_SECONDS
})

const found = (ref: SandboxRef, { sendingBank, transRef }: Question): GatewayAnswer => ({
  _tag: "Found",
  transfer: sandboxTransfer(ref, sendingBank, transRef)
})

/** The response for the outcome `nonsense`: the amount is text and the receiver is missing. */
const invalidResponse = (ref: SandboxRef, { sendingBank, transRef }: Question): unknown => {
  const { receiver: _, ...valid } = sandboxTransfer(ref, sendingBank, transRef)
  return { ...valid, amount: `${ref.amount} satang` }
}

const decodeTransfer = Schema.decodeUnknownResult(Transfer)

/** Decodes a response as those of other banks are decoded. */
const decode = (body: unknown): GatewayAnswer =>
  Result.match(decodeTransfer(body), {
    onSuccess: (transfer): GatewayAnswer => ({ _tag: "Found", transfer }),
    onFailure: (error) => unavailable(`the sandbox bank sent an invalid response: ${oneLine(error.message)}`)
  })

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim()
