import { Effect, Schema } from "effect"
import type { SlipQuestion } from "../../../ports/bank-gateway.ts"
import {
  concernsGateway,
  evidenceOf,
  foreignAnswer,
  foundIn,
  noStatementOf,
  readRetryAfter
} from "../upstream/answer.ts"
import { fieldsOf } from "../upstream/fields.ts"
import type { NoStatement, Statement } from "../upstream/gateway.ts"
import type { UpstreamResponse } from "../upstream/https-client.ts"
import { bodyReader, readJson } from "../upstream/json-body.ts"
import { TokenRefused } from "../upstream/tokens.ts"

/**
 * What KBank's codes mean, as far as an operator has learnt it (settings `KBANK_NOT_FOUND_CODES`,
 * `KBANK_PENDING_CODES`): KBank publishes no list. A code that is in neither is no statement.
 */
export interface KbankCodes {
  readonly notFound: ReadonlyArray<string>
  readonly pending: ReadonlyArray<string>
}

/** The slip was found. */
export const FOUND = "0000"

const codeShape = /^[A-Za-z0-9_-]{1,8}$/u

/** What can be a code of KBank's: short, so that nothing else can be told as one. */
export const isKbankCode = (text: string): boolean => codeShape.test(text)

const Envelope = Schema.Struct({
  statusCode: Schema.String.check(Schema.isPattern(codeShape)),
  data: Schema.optionalKey(Schema.Unknown)
})

const readEnvelope = bodyReader(Envelope)

/** What KBank's answer to a question about a slip amounts to; `now` in milliseconds since 1970. */
export const judgeAnswer = (
  response: UpstreamResponse,
  question: SlipQuestion,
  codes: KbankCodes,
  now: number
): Effect.Effect<Statement, NoStatement | TokenRefused> => {
  const { retryAfter, status } = response
  const upstream = evidenceOf(response)
  const envelope = readEnvelope(response.text)
  const code = envelope?.statusCode ?? ""
  if (status === 200 && code === FOUND) return foundIn("KBank", envelope?.data, question, response)
  if (!concernsGateway(status)) {
    if (codes.notFound.includes(code) || (status === 404 && !codes.pending.includes(code) && isOfTheApi(response))) {
      return Effect.succeed({ answer: { _tag: "NotFound" }, upstream })
    }
    if (codes.pending.includes(code)) {
      const retryAfterSeconds = readRetryAfter(retryAfter, now)
      return Effect.succeed({ answer: { _tag: "Pending", retryAfterSeconds }, upstream })
    }
  }
  const otherwise = noStatementIn(response, now)
  return Effect.fail(status === 401 ? new TokenRefused({ otherwise }) : otherwise)
}

/**
 * Whether a 404 is an answer of the API (field notes: "404 -> not found") and not of something in front of it that
 * knows no such path, as with a wrong KBANK_BASE_URL: that would call every slip fake. Pages are of no API, and a
 * `fault` is what the proxy in front of it calls its own errors.
 */
const isOfTheApi = ({ text }: UpstreamResponse): boolean => {
  if (text.trim() === "") return true
  const body = readJson(text)
  return typeof body === "object" && body !== null && !("fault" in fieldsOf(body))
}

/** Why an answer is of no use, whatever was asked. */
export const noStatementIn = (response: UpstreamResponse, now: number): NoStatement => {
  const { status, text } = response
  const code = readEnvelope(text)?.statusCode
  const why = status === 401 || status === 403
    ? `KBank answered HTTP ${status}: it refuses the credentials; check KBANK_CONSUMER_ID and KBANK_CONSUMER_SECRET`
    : code === undefined
    ? undefined
    : `KBank answered code ${code} with HTTP ${status}: what that means is not known; `
      + "KBANK_NOT_FOUND_CODES and KBANK_PENDING_CODES can say it"
  if (why === undefined) return foreignAnswer("KBank", "KBANK", response, now)
  return noStatementOf(response, now, { why, concerns: concernsGateway(status) ? "gateway" : "slip" })
}
