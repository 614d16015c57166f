import { Effect, Schema } from "effect"
import type { SlipQuestion } from "../../../ports/bank-gateway.ts"
import { evidenceOf, foreignAnswer, foundIn, noStatementOf } from "../upstream/answer.ts"
import type { NoStatement, Statement } from "../upstream/gateway.ts"
import type { UpstreamResponse } from "../upstream/https-client.ts"
import { bodyReader } from "../upstream/json-body.ts"
import { TokenRefused } from "../upstream/tokens.ts"
import { FOUND, meaningOf, NO_SUCH_RECORD, TOKEN_EXPIRED } from "./scb-codes.ts"

/** Every answer of SCB, good or bad. Codes have four digits, so that nothing else can be told as one. */
const Envelope = Schema.Struct({
  status: Schema.Struct({
    code: Schema.Union([Schema.Finite, Schema.FiniteFromString]).check(
      Schema.isInt(),
      Schema.isBetween({ minimum: 1000, maximum: 9999 })
    )
  }),
  data: Schema.optionalKey(Schema.Unknown)
})

const readEnvelope = bodyReader(Envelope)

/** What SCB's answer to a question about a slip amounts to; `now` in milliseconds since 1970. */
export const judgeAnswer = (
  response: UpstreamResponse,
  question: SlipQuestion,
  now: number
): Effect.Effect<Statement, NoStatement | TokenRefused> => {
  const { status, text } = response
  const envelope = readEnvelope(text)
  const code = envelope?.status.code
  if (status === 200 && code === FOUND) return foundIn("SCB", envelope?.data, question, response)
  // Not by the status alone: a wrong SCB_BASE_URL answers 404 as well, and every slip would be called fake.
  if (status === 404 && code === NO_SUCH_RECORD) {
    return Effect.succeed({ answer: { _tag: "NotFound" }, upstream: evidenceOf(response) })
  }
  const otherwise = noStatementIn(response, now)
  const isRefused = code === TOKEN_EXPIRED || (status === 401 && code === undefined)
  return Effect.fail(isRefused ? new TokenRefused({ otherwise }) : otherwise)
}

/** Why an answer is of no use, whatever was asked. */
export const noStatementIn = (response: UpstreamResponse, now: number): NoStatement => {
  const { status, text } = response
  const code = readEnvelope(text)?.status.code
  if (code === undefined) return foreignAnswer("SCB", "SCB", response, now)
  const meaning = meaningOf(code, status)
  const why = `SCB answered code ${code} with HTTP ${status}: ${meaning.why}`
  return noStatementOf(response, now, { why, concerns: meaning.concerns })
}
