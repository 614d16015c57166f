import { Effect, Schema } from "effect"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import {
  bodyReader,
  concernsGateway,
  evidenceOf,
  failureOf,
  foreignFailure,
  foundAnswer,
  readJson,
  readRetryAfter
} from "../upstream/answer.ts"
import type { BankAnswer, GatewayFailure } from "../upstream/gateway.ts"
import type { UpstreamResponse } from "../upstream/https-client.ts"
import { fieldsOf, readSlipData } from "../upstream/slip-data.ts"
import { TokenRefused } from "../upstream/tokens.ts"

/**
 * The meaning of KBank's codes, which the operator configures (settings `KBANK_NOT_FOUND_CODES`, `KBANK_PENDING_CODES`):
 * KBank publishes no list. A code in neither list is not a definite answer.
 */
export interface KbankCodes {
  readonly notFound: ReadonlyArray<string>
  readonly pending: ReadonlyArray<string>
}

/** The code of a found slip. */
export const FOUND = "0000"

/** Short, so that no other data can pass as a code. */
const codeFormat = /^[A-Za-z0-9_-]{1,8}$/u

export const isKbankCode = (text: string): boolean => codeFormat.test(text)

const Envelope = Schema.Struct({
  statusCode: Schema.String.check(Schema.isPattern(codeFormat)),
  data: Schema.optionalKey(Schema.Unknown)
})

const readEnvelope = bodyReader(Envelope)

/** Reads KBank's response to a question about a slip. `now` in milliseconds since 1970. */
export const readKbankAnswer = (
  response: UpstreamResponse,
  question: SlipQuestion,
  codes: KbankCodes,
  now: number
): Effect.Effect<BankAnswer, GatewayFailure | TokenRefused> => {
  const { retryAfter, status } = response
  const upstream = evidenceOf(response)
  const envelope = readEnvelope(response.text)
  const code = envelope?.statusCode ?? ""
  if (status === 200 && code === FOUND) return foundAnswer("KBank", readSlipData(envelope?.data, question), response)
  if (!concernsGateway(status)) {
    if (codes.notFound.includes(code) || (status === 404 && !codes.pending.includes(code) && isFromApi(response))) {
      return Effect.succeed({ answer: { _tag: "NotFound" }, upstream })
    }
    if (codes.pending.includes(code)) {
      const retryAfterSeconds = readRetryAfter(retryAfter, now)
      return Effect.succeed({ answer: { _tag: "Pending", retryAfterSeconds }, upstream })
    }
  }
  const failure = kbankFailure(response, now)
  return Effect.fail(status === 401 ? new TokenRefused({ failure }) : failure)
}

/**
 * Whether a 404 comes from the API (docs/banks.md, "KBank Slip Verification") and not from a proxy that does not know the path.
 * With a wrong KBANK_BASE_URL a proxy would call every slip fake. The API sends no HTML page, and `fault` is the error
 * format of its proxy.
 */
const isFromApi = ({ text }: UpstreamResponse): boolean => {
  if (text.trim() === "") return true
  const body = readJson(text)
  return typeof body === "object" && body !== null && !("fault" in fieldsOf(body))
}

/** The failure for a response of KBank without a definite answer. */
export const kbankFailure = (response: UpstreamResponse, now: number): GatewayFailure => {
  const { status, text } = response
  const code = readEnvelope(text)?.statusCode
  const why = status === 401 || status === 403
    ? `KBank refuses the credentials with HTTP ${status}; check KBANK_CONSUMER_ID and KBANK_CONSUMER_SECRET`
    : code === undefined
    ? undefined
    : `KBank answered code ${code} with HTTP ${status}: the meaning of this code is unknown; `
      + "KBANK_NOT_FOUND_CODES and KBANK_PENDING_CODES can define it"
  if (why === undefined) return foreignFailure("KBank", "KBANK", response, now)
  return failureOf(response, now, { why, concerns: concernsGateway(status) ? "gateway" : "slip" })
}
