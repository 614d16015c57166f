import { Clock, Effect, Redacted, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { slipTime } from "../../../../domain/time.ts"
import type { Gateway } from "../upstream/gateway.ts"
import { makeUpstreamClient } from "../upstream/https-client.ts"
import { type GatewayLimits, makeGateway } from "../upstream/make-gateway.ts"
import { fieldsOf, textOf } from "../upstream/slip-data.ts"
import { makeTokens, requestToken } from "../upstream/tokens.ts"
import type { ClientCertificate } from "./client-certificate.ts"
import { type KbankCodes, kbankFailure, readKbankAnswer } from "./kbank-answer.ts"

export interface KbankOptions extends GatewayLimits {
  readonly baseUrl: string
  readonly consumerId: Redacted.Redacted
  readonly consumerSecret: Redacted.Redacted
  /** KBank requires a client certificate for every request; its sandbox does not. */
  readonly certificate: ClientCertificate | undefined
  /** KBank's sandbox requires extra headers. */
  readonly isTest: boolean
  readonly codes: KbankCodes
  readonly authorities: ReadonlyArray<string> | undefined
}

/** KBank Slip Verification (docs/banks.md, "KBank Slip Verification"): answers for the slips of many banks. */
export const makeKbankGateway = (options: KbankOptions): Effect.Effect<Gateway, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { authorities, baseUrl, certificate, codes, consumerId, consumerSecret, isTest, timeoutMillis } = options
    const send = yield* makeUpstreamClient({ title: "KBank", baseUrl, authorities, certificate })
    const basic = Buffer.from(`${Redacted.value(consumerId)}:${Redacted.value(consumerSecret)}`).toString("base64")

    const tokens = yield* makeTokens(requestToken({
      title: "KBank",
      timeoutMillis,
      toFailure: kbankFailure,
      send: send({
        method: "POST",
        path: "/v2/oauth/token",
        headers: {
          "authorization": `Basic ${basic}`,
          "content-type": "application/x-www-form-urlencoded",
          ...(isTest ? { "x-test-mode": "true", "env-id": "OAUTH2" } : {})
        },
        body: "grant_type=client_credentials"
      }),
      read: (json) => {
        const { access_token: token, expires_in: lifetime } = fieldsOf(json)
        return { token: textOf(token), lifetime }
      }
    }))

    return makeGateway({
      name: "kbank",
      title: "KBank",
      check: Effect.asVoid(tokens.current),
      ask: (question) =>
        tokens.withToken(Effect.fnUntraced(function* (token) {
          const response = yield* send({
            method: "POST",
            path: "/v1/verslip/kbank/verify",
            headers: {
              "authorization": `Bearer ${token}`,
              "content-type": "application/json",
              ...(isTest ? { "x-test-mode": "true" } : {})
            },
            body: JSON.stringify({
              rqUID: randomUUID().replaceAll("-", ""),
              rqDt: requestTime(yield* Clock.currentTimeMillis),
              data: { sendingBank: question.sendingBank, transRef: question.transRef }
            })
          })
          return yield* readKbankAnswer(response, question, codes, yield* Clock.currentTimeMillis)
        }))
    }, options)
  })

/** ISO 8601 in Bangkok time with milliseconds, the format of KBank. */
const requestTime = (now: number): string => slipTime(now).replace("+", `.${String(now % 1_000).padStart(3, "0")}+`)
