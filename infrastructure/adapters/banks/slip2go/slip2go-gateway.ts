import { Clock, Effect, Redacted, type Scope } from "effect"
import type { Gateway } from "../upstream/gateway.ts"
import {
  type GatewaySettingError,
  parseVendorValues,
  requireCredential,
  type VendorValues
} from "../upstream/gateway-settings.ts"
import { makeGateway } from "../upstream/make-gateway.ts"
import { makeVendorClient } from "../upstream/vendor-client.ts"
import { vendorTraits } from "../upstream/vendor-traits.ts"
import { readSlip2goAccount, readSlip2goAnswer } from "./slip2go-answer.ts"

export interface Slip2goValues extends VendorValues {
  readonly apiSecret: Redacted.Redacted | undefined
}

/** Slip2Go (docs/banks.md, "Slip2Go"): asks about a slip by its QR text. */
export const makeSlip2goGateway = (
  values: Slip2goValues,
  authorities: ReadonlyArray<string> | undefined
): Effect.Effect<Gateway, GatewaySettingError, Scope.Scope> =>
  Effect.gen(function* () {
    const { baseUrl, ...limits } = yield* Effect.fromResult(parseVendorValues("SLIP2GO", values))
    const secret = yield* Effect.fromResult(requireCredential("SLIP2GO_API_SECRET", values.apiSecret, "slip2go"))
    const send = yield* makeVendorClient({
      title: "Slip2Go",
      baseUrl,
      authorities,
      secrets: [secret]
    })
    const authorization = `Bearer ${Redacted.value(secret)}`

    const account = Effect.gen(function* () {
      const response = yield* send({ method: "GET", path: "/account/info", headers: { authorization } })
      return yield* readSlip2goAccount(response, yield* Clock.currentTimeMillis)
    })

    return makeGateway({
      name: "slip2go",
      title: "Slip2Go",
      traits: vendorTraits("slip2go", { notFound: true, repeat: false }),
      account,
      check: Effect.asVoid(account),
      ask: Effect.fnUntraced(function* (question) {
        const response = yield* send({
          method: "POST",
          path: "/verify-slip/qr-code/info",
          headers: { authorization, "content-type": "application/json" },
          // With this condition, a repeated question is answered without a charge.
          body: JSON.stringify({ payload: { qrCode: question.payload, checkCondition: { checkDuplicate: true } } })
        })
        return yield* readSlip2goAnswer(response, question, yield* Clock.currentTimeMillis)
      })
    }, limits)
  })
