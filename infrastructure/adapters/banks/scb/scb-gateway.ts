import { Clock, Effect, Redacted, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import type { Gateway } from "../upstream/gateway.ts"
import { makeUpstreamClient } from "../upstream/https-client.ts"
import { type GatewayLimits, makeGateway } from "../upstream/make-gateway.ts"
import { fieldsOf, textOf } from "../upstream/slip-data.ts"
import { makeTokens, requestToken } from "../upstream/tokens.ts"
import { readScbAnswer, scbFailure } from "./scb-answer.ts"

export interface ScbOptions extends GatewayLimits {
  readonly baseUrl: string
  /** Printable ASCII: it is sent in a header. */
  readonly apiKey: Redacted.Redacted
  readonly apiSecret: Redacted.Redacted
  readonly authorities: ReadonlyArray<string> | undefined
}

/** SCB Open API (docs/banks.md, "SCB Open API"): asks about a slip by transRef and sending bank. */
export const makeScbGateway = (options: ScbOptions): Effect.Effect<Gateway, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { apiKey, apiSecret, authorities, baseUrl, timeoutMillis } = options
    const send = yield* makeUpstreamClient({ title: "SCB", baseUrl, authorities })

    /** The headers of every request. SCB requires a new `requestUId` each time. */
    const headers = () => ({
      "resourceOwnerId": Redacted.value(apiKey),
      "requestUId": randomUUID().replaceAll("-", ""),
      "accept-language": "EN"
    })

    const tokens = yield* makeTokens(requestToken({
      title: "SCB",
      timeoutMillis,
      toFailure: scbFailure,
      send: Effect.suspend(() =>
        send({
          method: "POST",
          path: "/v1/oauth/token",
          headers: { ...headers(), "content-type": "application/json" },
          body: JSON.stringify({
            applicationKey: Redacted.value(apiKey),
            applicationSecret: Redacted.value(apiSecret)
          })
        })
      ),
      read: (json) => {
        const { accessToken, expiresIn } = fieldsOf(fieldsOf(json)["data"])
        return { token: textOf(accessToken), lifetime: expiresIn }
      }
    }))

    return makeGateway({
      name: "scb",
      title: "SCB",
      check: Effect.asVoid(tokens.current),
      ask: (question) =>
        tokens.withToken(Effect.fnUntraced(function* (token) {
          const response = yield* send({
            method: "GET",
            path: `/v1/payment/billpayment/transactions/${encodeURIComponent(question.transRef)}`
              + `?sendingBank=${encodeURIComponent(question.sendingBank)}`,
            headers: { ...headers(), authorization: `Bearer ${token}` }
          })
          return yield* readScbAnswer(response, question, yield* Clock.currentTimeMillis)
        }))
    }, options)
  })
