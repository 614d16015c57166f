import { Clock, Effect, Redacted, type Scope } from "effect"
import type { Gateway } from "../upstream/gateway.ts"
import {
  type GatewaySettingError,
  parseVendorValues,
  requireCredential,
  settingError,
  type VendorValues
} from "../upstream/gateway-settings.ts"
import { makeGateway } from "../upstream/make-gateway.ts"
import { makeVendorClient } from "../upstream/vendor-client.ts"
import { vendorTraits } from "../upstream/vendor-traits.ts"
import { readSlipokAccount, readSlipokAnswer } from "./slipok-answer.ts"

export interface SlipokValues extends VendorValues {
  readonly branchId: string | undefined
  readonly apiKey: Redacted.Redacted | undefined
  /** Whether questions go on when the package is used up. SlipOK bills each of them. */
  readonly overQuota: boolean
}

/** SlipOK (docs/banks.md, "SlipOK"): asks about a slip by its QR text. */
export const makeSlipokGateway = (
  values: SlipokValues,
  authorities: ReadonlyArray<string> | undefined
): Effect.Effect<Gateway, GatewaySettingError, Scope.Scope> =>
  Effect.gen(function* () {
    const { baseUrl, ...limits } = yield* Effect.fromResult(parseVendorValues("SLIPOK", values))
    const branchId = yield* requireBranchId(values.branchId)
    const apiKey = yield* Effect.fromResult(requireCredential("SLIPOK_API_KEY", values.apiKey, "slipok"))
    const send = yield* makeVendorClient({
      title: "SlipOK",
      baseUrl,
      authorities,
      secrets: [apiKey]
    })
    const headers = { "x-authorization": Redacted.value(apiKey) }

    // SlipOK bills questions beyond the package. The gateway stops when this account has none left.
    const account = Effect.gen(function* () {
      const response = yield* send({ method: "GET", path: `/${branchId}/quota`, headers })
      return yield* readSlipokAccount(response, values.overQuota, yield* Clock.currentTimeMillis)
    })

    return makeGateway({
      name: "slipok",
      title: "SlipOK",
      traits: vendorTraits("slipok", { notFound: false, repeat: true }),
      account,
      check: Effect.asVoid(account),
      ask: Effect.fnUntraced(function* (question) {
        const response = yield* send({
          method: "POST",
          path: `/${branchId}`,
          headers: { ...headers, "content-type": "application/json" },
          // With `log`, SlipOK would store the slip and judge its receiver.
          body: JSON.stringify({ data: question.payload, log: false })
        })
        return yield* readSlipokAnswer(response, question, yield* Clock.currentTimeMillis)
      })
    }, limits)
  })

/** The id is a part of the path. */
const requireBranchId = (branchId = ""): Effect.Effect<string, GatewaySettingError> => {
  if (branchId === "") {
    return Effect.fail(settingError("SLIPOK_BRANCH_ID", "is missing: set it, or remove slipok from BANK_GATEWAYS"))
  }
  return /^\d{1,20}$/u.test(branchId)
    ? Effect.succeed(branchId)
    : Effect.fail(settingError("SLIPOK_BRANCH_ID", "must be a number: copy the id of the branch again"))
}
