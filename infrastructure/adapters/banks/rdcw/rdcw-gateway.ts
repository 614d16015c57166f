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
import { readRdcwAnswer } from "./rdcw-answer.ts"

export interface RdcwValues extends VendorValues {
  readonly clientId: Redacted.Redacted | undefined
  readonly clientSecret: Redacted.Redacted | undefined
}

/** RDCW Slip Verify (docs/banks.md, "RDCW"): asks about a slip by its QR text. */
export const makeRdcwGateway = (
  values: RdcwValues,
  authorities: ReadonlyArray<string> | undefined
): Effect.Effect<Gateway, GatewaySettingError, Scope.Scope> =>
  Effect.gen(function* () {
    const { baseUrl, ...limits } = yield* Effect.fromResult(parseVendorValues("RDCW", values))
    const clientId = yield* Effect.fromResult(requireCredential("RDCW_CLIENT_ID", values.clientId, "rdcw"))
    const clientSecret = yield* Effect.fromResult(requireCredential("RDCW_CLIENT_SECRET", values.clientSecret, "rdcw"))
    const basic = Buffer.from(`${Redacted.value(clientId)}:${Redacted.value(clientSecret)}`).toString("base64")
    const send = yield* makeVendorClient({
      title: "RDCW",
      baseUrl,
      authorities,
      secrets: [clientId, clientSecret, Redacted.make(basic)]
    })

    return makeGateway({
      name: "rdcw",
      title: "RDCW",
      traits: vendorTraits("rdcw", { notFound: false, repeat: true }),
      // RDCW has no free question: the next slip shows whether it accepts the account again.
      check: Effect.void,
      ask: Effect.fnUntraced(function* (question) {
        const response = yield* send({
          method: "POST",
          path: "/inquiry",
          headers: { authorization: `Basic ${basic}`, "content-type": "application/json" },
          body: JSON.stringify({ payload: question.payload })
        })
        return yield* readRdcwAnswer(response, question, yield* Clock.currentTimeMillis)
      })
    }, limits)
  })
