import { Effect, Schema } from "effect"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import { bodyReader, concernsGateway, evidenceOf, failureOf, foreignFailure, foundAnswer } from "../upstream/answer.ts"
import type { BankAnswer, GatewayFailure } from "../upstream/gateway.ts"
import type { UpstreamResponse } from "../upstream/https-client.ts"
import { readSlipData } from "../upstream/slip-data.ts"
import { TokenRefused } from "../upstream/tokens.ts"

const FOUND = 1000
/** SCB has no such slip. A definite answer only together with HTTP 404. */
const NOT_FOUND = 1104
const TOKEN_EXPIRED = 9300

/** The envelope of every SCB response. Codes have four digits: no other data can pass as a code. */
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

/** Reads SCB's response to a question about a slip. `now` in milliseconds since 1970. */
export const readScbAnswer = (
  response: UpstreamResponse,
  question: SlipQuestion,
  now: number
): Effect.Effect<BankAnswer, GatewayFailure | TokenRefused> => {
  const { status, text } = response
  const envelope = readEnvelope(text)
  const code = envelope?.status.code
  if (status === 200 && code === FOUND) return foundAnswer("SCB", readSlipData(envelope?.data, question), response)
  // The status alone is not enough: with a wrong SCB_BASE_URL every answer is a 404.
  if (status === 404 && code === NOT_FOUND) {
    return Effect.succeed({ answer: { _tag: "NotFound" }, upstream: evidenceOf(response) })
  }
  const failure = scbFailure(response, now)
  const isTokenRefused = code === TOKEN_EXPIRED || (status === 401 && code === undefined)
  return Effect.fail(isTokenRefused ? new TokenRefused({ failure }) : failure)
}

/** The failure for a response of SCB without a definite answer. */
export const scbFailure = (response: UpstreamResponse, now: number): GatewayFailure => {
  const { status, text } = response
  const code = readEnvelope(text)?.status.code
  if (code === undefined) return foreignFailure("SCB", "SCB", response, now)
  const { concerns, why } = meanings[code]
    ?? { why: "the meaning of this code is unknown", concerns: concernsGateway(status) ? "gateway" : "slip" }
  return failureOf(response, now, { why: `SCB answered code ${code} with HTTP ${status}: ${why}`, concerns })
}

type Meaning = Pick<GatewayFailure, "concerns" | "why">

const malformed: Meaning = { why: "SCB does not accept the request", concerns: "slip" }
const serverError: Meaning = { why: "a server error of SCB", concerns: "gateway" }

/**
 * Codes of SCB's Open API without a definite answer (docs/banks.md, "SCB Open API"). A code that a single slip can cause
 * concerns that slip. Codes of credentials, permissions and servers concern the gateway.
 */
const meanings: Readonly<Record<number, Meaning>> = {
  1101: malformed,
  1102: malformed,
  1103: malformed,
  1105: malformed,
  1111: { why: "SCB treats the request as a repeated one", concerns: "slip" },
  [NOT_FOUND]: { why: "no such slip, but without HTTP 404", concerns: "slip" },
  4101: { why: "SCB does not serve this channel", concerns: "gateway" },
  8101: { why: "a system behind SCB gave no valid answer", concerns: "slip" },
  8102: { why: "SCB's payment system returned an error", concerns: "slip" },
  8901: serverError,
  8902: serverError,
  9100: { why: "SCB refuses the credentials; check SCB_API_KEY and SCB_API_SECRET", concerns: "gateway" },
  [TOKEN_EXPIRED]: { why: "SCB refuses even a fresh token", concerns: "gateway" },
  9500: { why: "SCB refuses the API key; check SCB_API_KEY", concerns: "gateway" },
  9503: { why: "the application has no permission to ask about slips; SCB's portal grants it", concerns: "gateway" },
  9700: serverError,
  9900: serverError
}
