import { assert } from "@effect/vitest"
import { Effect, Logger, Result } from "effect"
import type { BankAnswer, GatewayFailure } from "../../../infrastructure/adapters/banks/upstream/gateway.ts"
import type { UpstreamResponse } from "../../../infrastructure/adapters/banks/upstream/https-client.ts"
import type { Transfer } from "../../../domain/slip/transfer.ts"
import { assertAnswer, assertFailure, type vendorFixtures } from "./vendor-fixtures.ts"

type Read<Question> = (response: UpstreamResponse, question: Question) => Effect.Effect<BankAnswer, GatewayFailure>

/** A response of a vendor. A body that is not text is sent as JSON. */
export const respond = (status: number, body: unknown): UpstreamResponse => ({
  status,
  retryAfter: undefined,
  text: typeof body === "string" ? body : JSON.stringify(body)
})

/** Reads responses to one question with a vendor's reader. */
export const readingWith = <Question>(read: Read<Question>, question: Question) => {
  const resultOf = (response: UpstreamResponse) => Effect.runSync(quietly(Effect.result(read(response, question))))

  const answerOf = (response: UpstreamResponse): BankAnswer => {
    const result = resultOf(response)
    assert(Result.isSuccess(result), `no answer: ${JSON.stringify(result)}`)
    return result.success
  }
  const failureOf = (response: UpstreamResponse): GatewayFailure => {
    const result = resultOf(response)
    assert(Result.isFailure(result), `an answer: ${JSON.stringify(result)}`)
    return result.failure
  }
  /** Checks that a response is no verdict for this reason. */
  const assertNoVerdict = (response: UpstreamResponse, why: RegExp): GatewayFailure => {
    const failure = failureOf(response)
    assert.match(failure.why, why)
    return failure
  }
  const transferOf = (response: UpstreamResponse): Transfer => {
    const { answer } = answerOf(response)
    assert(answer._tag === "Found", `the answer was ${answer._tag}`)
    return answer.transfer
  }
  /** The log lines of reading a response. */
  const logOf = (response: UpstreamResponse): ReadonlyArray<string> => {
    const lines: Array<string> = []
    const logged = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))])
    Effect.runSync(Effect.provide(Effect.result(read(response, question)), logged))
    return lines
  }
  return { answerOf, assertNoVerdict, failureOf, logOf, transferOf }
}

/** Without log lines. */
const quietly = Effect.provide(Logger.layer([]))

/** Checks that a vendor's reader gives the expected outcome of a fixture, and keeps the body. */
export const assertFixture = (
  read: Read<Fixture["question"]>,
  { expected, question, response }: Fixture
): void => {
  const result = Effect.runSync(quietly(Effect.result(read(response, question))))
  if (Result.isSuccess(result)) assertAnswer(result.success.answer, expected)
  else assertFailure(result.failure, expected)
  assert.strictEqual(Result.merge(result).upstream, response.text)
}

type Fixture = ReturnType<typeof vendorFixtures>[number]
