import { Clock, Effect, Redacted, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { fieldsOf, textOf } from "../upstream/fields.ts"
import type { Gateway } from "../upstream/gateway.ts"
import { grantOf } from "../upstream/grant.ts"
import { guarded, type Limits } from "../upstream/guarded.ts"
import { makeUpstreamClient } from "../upstream/https-client.ts"
import { makeTokens } from "../upstream/tokens.ts"
import { judgeAnswer, noStatementIn } from "./scb-answer.ts"

export interface ScbOptions extends Limits {
  readonly baseUrl: string
  /** Printable ASCII: it stands in a header. */
  readonly apiKey: Redacted.Redacted
  readonly apiSecret: Redacted.Redacted
  readonly authorities: ReadonlyArray<string> | undefined
}

/** SCB Open API (field notes, "SCB Open API"): asks about a slip by its transRef and sending bank. */
export const makeScbGateway = (options: ScbOptions): Effect.Effect<Gateway, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { apiKey, apiSecret, authorities, baseUrl, timeoutMillis } = options
    const send = yield* makeUpstreamClient({ title: "SCB", baseUrl, authorities })

    /** Of every call. SCB wants a new `requestUId` each time. */
    const headers = () => ({
      "resourceOwnerId": Redacted.value(apiKey),
      "requestUId": randomUUID().replaceAll("-", ""),
      "accept-language": "EN"
    })

    const tokens = yield* makeTokens(grantOf({
      title: "SCB",
      timeoutMillis,
      whyNot: noStatementIn,
      ask: Effect.suspend(() =>
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

    return guarded({
      name: "scb",
      title: "SCB",
      check: Effect.asVoid(tokens.current),
      ask: (question) =>
        tokens.asking(Effect.fnUntraced(function* (token) {
          const response = yield* send({
            method: "GET",
            path: `/v1/payment/billpayment/transactions/${encodeURIComponent(question.transRef)}`
              + `?sendingBank=${encodeURIComponent(question.sendingBank)}`,
            headers: { ...headers(), authorization: `Bearer ${token}` }
          })
          return yield* judgeAnswer(response, question, yield* Clock.currentTimeMillis)
        }))
    }, options)
  })
