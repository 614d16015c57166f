import { Effect, Redacted } from "effect"
import {
  type GatewaySettingError,
  requireCredential,
  settingError,
  type VendorValues
} from "../upstream/gateway-settings.ts"
import { vendorGateway } from "../upstream/vendor-gateway.ts"
import { vendorTraits } from "../upstream/vendor-traits.ts"
import { readSlipokAccount, readSlipokAnswer, vendor } from "./slipok-answer.ts"

export interface SlipokValues extends VendorValues {
  readonly branchId: string | undefined
  readonly apiKey: Redacted.Redacted | undefined
  /** Whether questions go on when the package is used up. SlipOK bills each of them. */
  readonly overQuota: boolean
}

/** SlipOK (docs/banks.md, "SlipOK"): asks about a slip by its QR text. */
export const makeSlipokGateway = vendorGateway<SlipokValues>(
  vendor,
  Effect.fnUntraced(function* (values, open) {
    const branchId = yield* requireBranchId(values.branchId)
    const apiKey = yield* requireCredential("SLIPOK_API_KEY", values.apiKey, "slipok")
    const ask = yield* open([apiKey])
    const headers = { "x-authorization": Redacted.value(apiKey) }
    return {
      traits: vendorTraits("slipok", { notFound: false, repeat: true }),
      // SlipOK bills questions beyond the package. The gateway stops when this account has none left.
      account: ask(
        { method: "GET", path: `/${branchId}/quota`, headers },
        (response, now) => readSlipokAccount(response, values.overQuota, now)
      ),
      ask: (question) =>
        ask({
          method: "POST",
          path: `/${branchId}`,
          headers: { ...headers, "content-type": "application/json" },
          // With `log`, SlipOK would store the slip and judge its receiver.
          body: JSON.stringify({ data: question.payload, log: false })
        }, (response, now) => readSlipokAnswer(response, question, now))
    }
  })
)

/** The id is a part of the path. */
const requireBranchId = (branchId = ""): Effect.Effect<string, GatewaySettingError> => {
  if (branchId === "") {
    return Effect.fail(settingError("SLIPOK_BRANCH_ID", "is missing: set it, or remove slipok from BANK_GATEWAYS"))
  }
  return /^\d{1,20}$/u.test(branchId)
    ? Effect.succeed(branchId)
    : Effect.fail(settingError("SLIPOK_BRANCH_ID", "must be a number: copy the id of the branch again"))
}
