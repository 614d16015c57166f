import { fromBaht } from "../../domain/money.ts"
import { Option } from "effect"
import { makeSandboxSlip, nonceOf, type Outcome } from "../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"
import type { Kind, LapRequest } from "./messages.ts"

/** The QR text of a slip of the sandbox bank. Different numbers below 2 176 782 336 give different slips. */
export const payloadOf = (number: number, outcome: Outcome = "found"): string =>
  makeSandboxSlip({
    amount,
    bank: "004",
    receiver: 0,
    outcome,
    at: startedAt,
    nonce: nonceOf(number)
  }).payload

/** Requests as bytes, rendered in advance so that sending them costs little processor time. */
export const renderRequests = ({ apiKey, count, from, kind }: LapRequest): ReadonlyArray<Buffer> =>
  Array.from({ length: count }, (_, index) => {
    const number = from + index
    const { body, headers, start } = contents[kind](number)
    const key = kind === "wrong-key" ? wrongKey(apiKey, number) : apiKey
    const authorization = withoutKey.has(kind) ? "" : `Authorization: Bearer ${key}\r\n`
    return Buffer.from(`${start} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}${headers}\r\n${body}`)
  })

/** Whether an answer is the expected one. */
export const isExpected = (kind: Kind, answer: Buffer): boolean => {
  const { has, status } = expected[kind]
  return answer.toString("latin1", 9, 12) === status && answer.includes(has)
}

const withoutKey: ReadonlySet<Kind> = new Set<Kind>(["unauthenticated", "live", "no-key"])

/** A key of the right form, which no branch has. */
const wrongKey = (apiKey: string, number: number): string => {
  const end = String(number).padStart(10, "0")
  return apiKey.slice(0, -end.length) + end
}

interface Content {
  readonly start: string
  /** Each ends with CRLF. */
  readonly headers: string
  readonly body: string
}

const verify = (payload: string, more = ""): Content => {
  const body = JSON.stringify({ payload })
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}`
  return { start: "POST /v2/verify/bank", headers, body }
}

const contents: Readonly<Record<Kind, (number: number) => Content>> = {
  verify: (number) => verify(payloadOf(number)),
  keyed: (number) => verify(payloadOf(number), `Idempotency-Key: bench-${number}\r\n`),
  // Fails right after authentication, because the status is invalid.
  authenticated: () => ({ start: "GET /v2/webhook/deliveries?status=none", headers: "", body: "" }),
  unauthenticated: () => ({ start: "GET /v2/health", headers: "", body: "" }),
  live: () => ({ start: "GET /health/live", headers: "", body: "" }),
  "no-key": (number) => verify(payloadOf(number)),
  "wrong-key": (number) => verify(payloadOf(number)),
  invalid: () => verify(""),
  "not-found": (number) => verify(payloadOf(number, "not-found"))
}

const firstVerification = { status: "200", has: '"isDuplicate":false' }
const expected: Readonly<Record<Kind, { readonly status: string; readonly has: string }>> = {
  verify: firstVerification,
  keyed: firstVerification,
  authenticated: { status: "400", has: "VALIDATION_ERROR" },
  unauthenticated: { status: "200", has: "ok" },
  live: { status: "200", has: "ok" },
  "no-key": { status: "401", has: "MISSING_API_KEY" },
  "wrong-key": { status: "401", has: "INVALID_API_KEY" },
  invalid: { status: "400", has: "VALIDATION_ERROR" },
  "not-found": { status: "404", has: "SLIP_NOT_FOUND" }
}

const amount = Option.getOrThrow(fromBaht(1500.5))
const startedAt = Date.now()
