import type { Effect, Scope } from "effect"
import { bearerOf, type LocalBank, type Protocol, type Reply, slipKey, startLocalBank } from "./local-bank.ts"

export const kbankCredentials = {
  consumerId: "the-consumer-of-a-test",
  consumerSecret: "the-kbank-secret-of-a-test"
} as const

/** An answer of KBank with only a code. */
export const kbankCode = (status: number, statusCode: string): Reply => ({
  status,
  body: { rqUID: "of a test", kbankTxnId: "rrt-1", statusCode, statusMessage: "OF A TEST" }
})

export const kbankFound = (data: object): Reply => ({
  status: 200,
  body: { rqUID: "of a test", kbankTxnId: "rrt-1", statusCode: "0000", statusMessage: "SUCCESS", data }
})

interface Options {
  /** The bank's data of each slip, by `slipKey`. Other slips are unknown. */
  readonly slips: ReadonlyMap<string, object>
  readonly lifetimeSeconds?: number
  /** Accepts only clients with a certificate of this authority, as the real bank does. */
  readonly clientAuthority?: string
  /** Requires the headers of KBank's sandbox. */
  readonly isTest?: boolean
}

const basic = `Basic ${btoa(`${kbankCredentials.consumerId}:${kbankCredentials.consumerSecret}`)}`

const protocol = ({ isTest = false, lifetimeSeconds = 1_740, slips }: Options): Protocol => ({
  kindOf: ({ method, url }) => {
    if (method !== "POST") return undefined
    return url === "/v2/oauth/token" ? "token" : url === "/v1/verslip/kbank/verify" ? "slip" : undefined
  },
  answerToken: ({ body, headers }, access_token) => {
    if (isTest !== (headers["x-test-mode"] === "true" && headers["env-id"] === "OAUTH2")) return kbankCode(400, "4000")
    if (headers["content-type"] !== "application/x-www-form-urlencoded" || body !== "grant_type=client_credentials") {
      return { status: 400, body: { error: "unsupported_grant_type" } }
    }
    if (headers.authorization !== basic) return { status: 401, body: { error: "invalid_client" } }
    return { status: 200, body: { access_token, token_type: "Bearer", expires_in: String(lifetimeSeconds) } }
  },
  answerSlip: (request, isValid) => {
    if (!isValid(bearerOf(request))) return { status: 401, body: { error: "invalid_token" } }
    if (isTest !== (request.headers["x-test-mode"] === "true")) return kbankCode(400, "4000")
    const { data, rqDt, rqUID } = JSON.parse(request.body)
    const isWellFormed = request.headers["content-type"] === "application/json" && /^[0-9a-f]{32}$/u.test(rqUID)
      && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+07:00$/u.test(rqDt)
    if (!isWellFormed) return kbankCode(400, "4001")
    const found: object | undefined = slips.get(slipKey(data))
    return found === undefined ? { status: 404, body: { rqUID, statusMessage: "NOT FOUND" } } : kbankFound(found)
  }
})

/** KBank on loopback. */
export const startKbankBank = (
  { clientAuthority, ...options }: Options
): Effect.Effect<LocalBank, never, Scope.Scope> => startLocalBank(protocol(options), clientAuthority)
