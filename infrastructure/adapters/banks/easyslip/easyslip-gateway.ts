import { Effect, Redacted } from "effect"
import type { SlipPicture } from "../../../../ports/bank-gateway.ts"
import type { Charges } from "../upstream/gateway.ts"
import { requireCredential, type VendorValues } from "../upstream/gateway-settings.ts"
import type { UpstreamRequest } from "../upstream/https-client.ts"
import { multipartForm } from "../upstream/multipart.ts"
import { type Vendor, vendorGateway } from "../upstream/vendor-gateway.ts"
import { vendorTraits } from "../upstream/vendor-traits.ts"
import { readEasySlipAccount, readEasySlipAnswer, readEasySlipWalletAnswer } from "./easyslip-answer.ts"

export interface EasySlipValues extends VendorValues {
  readonly apiKey: Redacted.Redacted | undefined
}

/** Whether a slip that was not found is charged is not documented. */
const charges: Charges = { notFound: true, repeat: false }
const firstVersionCharges: Charges = { notFound: true, repeat: true }

/** EasySlip and Thunder have one API (docs/banks.md, "EasySlip and Thunder"): asks about a slip by its QR text. */
const makeFamilyGateway = (vendor: Vendor) =>
  vendorGateway<EasySlipValues>(
    vendor,
    Effect.fnUntraced(function* (values, open) {
      const apiKey = yield* requireCredential(`${vendor.prefix}_API_KEY`, values.apiKey, vendor.name)
      // The path of version 1 is the last part of its base URL, at both vendors.
      const isFirstVersion = values.baseUrl.endsWith("/v1")
      const ask = yield* open([apiKey])
      const headers = { authorization: `Bearer ${Redacted.value(apiKey)}` }

      const aboutPayload = (payload: string): UpstreamRequest =>
        isFirstVersion ? { method: "GET", path: `/verify?payload=${encodeURIComponent(payload)}`, headers } : {
          method: "POST",
          path: "/verify/bank",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify({ payload, checkDuplicate: true })
        }

      // Version 1 refuses a repeat when it checks duplicates.
      const aboutPicture = (picture: SlipPicture): UpstreamRequest => {
        const { body, contentType } = isFirstVersion
          ? multipartForm("file", picture)
          : multipartForm("image", picture, { checkDuplicate: "true" })
        return {
          method: "POST",
          path: "/verify/truewallet",
          headers: { ...headers, "content-type": contentType },
          body
        }
      }

      return {
        traits: vendorTraits("easyslip", isFirstVersion ? firstVersionCharges : charges),
        account: ask(
          { method: "GET", path: isFirstVersion ? "/me" : "/info", headers },
          (response, now) => readEasySlipAccount(vendor, response, now)
        ),
        ask: (question) =>
          ask(
            aboutPayload(question.payload),
            (response, now) => readEasySlipAnswer(vendor, response, question, now)
          ),
        askWallet: (question) =>
          ask(
            aboutPicture(question.picture),
            (response, now) => readEasySlipWalletAnswer(vendor, response, question, now)
          )
      }
    })
  )

export const makeEasySlipGateway = makeFamilyGateway({ name: "easyslip", title: "EasySlip", prefix: "EASYSLIP" })
export const makeThunderGateway = makeFamilyGateway({ name: "thunder", title: "Thunder", prefix: "THUNDER" })
