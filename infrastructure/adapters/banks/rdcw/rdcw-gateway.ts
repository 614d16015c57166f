import { Effect, Redacted } from "effect"
import { requireCredential, type VendorValues } from "../upstream/gateway-settings.ts"
import { vendorGateway } from "../upstream/vendor-gateway.ts"
import { vendorTraits } from "../upstream/vendor-traits.ts"
import { readRdcwAnswer, vendor } from "./rdcw-answer.ts"

export interface RdcwValues extends VendorValues {
  readonly clientId: Redacted.Redacted | undefined
  readonly clientSecret: Redacted.Redacted | undefined
}

/** RDCW Slip Verify (docs/banks.md, "RDCW"): asks about a slip by its QR text. It has no free question. */
export const makeRdcwGateway = vendorGateway<RdcwValues>(
  vendor,
  Effect.fnUntraced(function* (values, open) {
    const clientId = yield* requireCredential("RDCW_CLIENT_ID", values.clientId, "rdcw")
    const clientSecret = yield* requireCredential("RDCW_CLIENT_SECRET", values.clientSecret, "rdcw")
    const basic = Buffer.from(`${Redacted.value(clientId)}:${Redacted.value(clientSecret)}`).toString("base64")
    const ask = yield* open([clientId, clientSecret, Redacted.make(basic)])
    return {
      traits: vendorTraits("rdcw", { notFound: false, repeat: true }),
      ask: (question) =>
        ask({
          method: "POST",
          path: "/inquiry",
          headers: { authorization: `Basic ${basic}`, "content-type": "application/json" },
          body: JSON.stringify({ payload: question.payload })
        }, (response, now) => readRdcwAnswer(response, question, now))
    }
  })
)
