import type { Effect, Scope } from "effect"
import type { RecordedRequest } from "../loopback-server.ts"
import { bearerOf, type LocalBank, type Protocol, type Reply, slipKey, startLocalBank } from "./local-bank.ts"

export const scbCredentials = { apiKey: "l7-the-key-of-a-test", apiSecret: "the-scb-secret-of-a-test" } as const

/** An answer of SCB with only a code. */
export const scbCode = (status: number, code: number): Reply => ({
  status,
  body: { status: { code, description: "of a test" } }
})

export const scbFound = (data: object): Reply => ({
  status: 200,
  body: { status: { code: 1000, description: "Success" }, data }
})

interface Options {
  /** The bank's data of each slip, by `slipKey`. Other slips are unknown. */
  readonly slips: ReadonlyMap<string, object>
  readonly lifetimeSeconds?: number
}

const protocol = ({ lifetimeSeconds = 1_800, slips }: Options): Protocol => {
  const usedIds = new Set<string>()

  /** Whether a request has the key, and a new request id of 32 hex digits. */
  const isWellFormed = ({ headers }: RecordedRequest): boolean => {
    const id = String(headers["requestuid"])
    const isNew = /^[0-9a-f]{32}$/u.test(id) && !usedIds.has(id)
    usedIds.add(id)
    return isNew && headers["resourceownerid"] === scbCredentials.apiKey && headers["accept-language"] === "EN"
  }

  return {
    kindOf: ({ method, url }) => {
      if (method === "POST" && url === "/partners/v1/oauth/token") return "token"
      return method === "GET" && url.startsWith("/partners/v1/payment/billpayment/transactions/") ? "slip" : undefined
    },
    answerToken: (request, accessToken) => {
      const { applicationKey, applicationSecret } = JSON.parse(request.body)
      if (!isWellFormed(request) || request.headers["content-type"] !== "application/json") return scbCode(400, 9100)
      if (applicationKey !== scbCredentials.apiKey || applicationSecret !== scbCredentials.apiSecret) {
        return scbCode(401, 9500)
      }
      return scbFound({ accessToken, tokenType: "Bearer", expiresIn: lifetimeSeconds, expiresAt: 1_795_000_000 })
    },
    answerSlip: (request, isValid) => {
      if (!isWellFormed(request)) return scbCode(400, 9100)
      if (!isValid(bearerOf(request))) return scbCode(401, 9300)
      const { pathname, searchParams } = new URL(request.url, "https://scb.test")
      const sendingBank = searchParams.get("sendingBank")
      if (sendingBank === null) return scbCode(400, 1101)
      const data = slips.get(slipKey({ sendingBank, transRef: pathname.split("/").at(-1) ?? "" }))
      return data === undefined ? scbCode(404, 1104) : scbFound(data)
    }
  }
}

/** SCB on loopback, under `/partners` like the real bank. */
export const startScbBank = (options: Options): Effect.Effect<LocalBank, never, Scope.Scope> =>
  startLocalBank(protocol(options))
