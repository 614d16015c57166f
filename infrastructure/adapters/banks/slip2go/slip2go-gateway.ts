import { Effect, Redacted } from "effect"
import { requireCredential, type VendorValues } from "../upstream/gateway-settings.ts"
import { vendorGateway } from "../upstream/vendor-gateway.ts"
import { vendorTraits } from "../upstream/vendor-traits.ts"
import { readSlip2goAccount, readSlip2goAnswer, vendor } from "./slip2go-answer.ts"

export interface Slip2goValues extends VendorValues {
  readonly apiSecret: Redacted.Redacted | undefined
}

/** Slip2Go (docs/banks.md, "Slip2Go"): asks about a slip by its QR text. */
export const makeSlip2goGateway = vendorGateway<Slip2goValues>(
  vendor,
  Effect.fnUntraced(function* ({ apiSecret }, open) {
    const secret = yield* requireCredential("SLIP2GO_API_SECRET", apiSecret, "slip2go")
    const ask = yield* open([secret])
    const authorization = `Bearer ${Redacted.value(secret)}`
    return {
      traits: vendorTraits("slip2go", { notFound: true, repeat: false }),
      account: ask({ method: "GET", path: "/account/info", headers: { authorization } }, readSlip2goAccount),
      ask: (question) =>
        ask({
          method: "POST",
          path: "/verify-slip/qr-code/info",
          headers: { authorization, "content-type": "application/json" },
          // With this condition, a repeated question is answered without a charge.
          body: JSON.stringify({ payload: { qrCode: question.payload, checkCondition: { checkDuplicate: true } } })
        }, (response, now) => readSlip2goAnswer(response, question, now))
    }
  })
)
