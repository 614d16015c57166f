import { Clock, Effect, Redacted, type Scope } from "effect"
import type { SlipPicture } from "../../../../ports/bank-gateway.ts"
import type { Charges, Gateway } from "../upstream/gateway.ts"
import {
  type GatewaySettingError,
  parseVendorValues,
  requireCredential,
  type VendorValues
} from "../upstream/gateway-settings.ts"
import { makeGateway } from "../upstream/make-gateway.ts"
import { multipartForm } from "../upstream/multipart.ts"
import { makeVendorClient } from "../upstream/vendor-client.ts"
import { vendorTraits } from "../upstream/vendor-traits.ts"
import { readEasySlipAccount, readEasySlipAnswer, readEasySlipWalletAnswer } from "./easyslip-answer.ts"

export interface EasySlipValues extends VendorValues {
  readonly apiKey: Redacted.Redacted | undefined
}

interface Vendor {
  readonly name: string
  readonly title: string
  readonly prefix: string
}

type MakeGateway = (
  values: EasySlipValues,
  authorities: ReadonlyArray<string> | undefined
) => Effect.Effect<Gateway, GatewaySettingError, Scope.Scope>

/** Whether a slip that was not found is charged is not documented. */
const charges: Charges = { notFound: true, repeat: false }
const firstVersionCharges: Charges = { notFound: true, repeat: true }

/** EasySlip and Thunder have one API (docs/banks.md, "EasySlip and Thunder"): asks about a slip by its QR text. */
const makeFamilyGateway = (vendor: Vendor): MakeGateway =>
  Effect.fnUntraced(function* (values, authorities) {
    const { name, prefix, title } = vendor
    const { baseUrl, ...limits } = yield* Effect.fromResult(parseVendorValues(prefix, values))
    const apiKey = yield* Effect.fromResult(requireCredential(`${prefix}_API_KEY`, values.apiKey, name))
    // The path of version 1 is the last part of its base URL, at both vendors.
    const isFirstVersion = baseUrl.endsWith("/v1")
    const send = yield* makeVendorClient({ title, baseUrl, authorities, secrets: [apiKey] })
    const headers = { authorization: `Bearer ${Redacted.value(apiKey)}` }

    const account = Effect.gen(function* () {
      const response = yield* send({ method: "GET", path: isFirstVersion ? "/me" : "/info", headers })
      return yield* readEasySlipAccount(vendor, response, yield* Clock.currentTimeMillis)
    })

    const askAbout = (payload: string) =>
      isFirstVersion ? send({ method: "GET", path: `/verify?payload=${encodeURIComponent(payload)}`, headers }) : send({
        method: "POST",
        path: "/verify/bank",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ payload, checkDuplicate: true })
      })

    // Version 1 refuses a repeat when it checks duplicates.
    const askAboutPicture = (picture: SlipPicture) => {
      const { body, contentType } = isFirstVersion
        ? multipartForm("file", picture)
        : multipartForm("image", picture, { checkDuplicate: "true" })
      return send({
        method: "POST",
        path: "/verify/truewallet",
        headers: { ...headers, "content-type": contentType },
        body
      })
    }

    return makeGateway({
      name,
      title,
      traits: vendorTraits("easyslip", isFirstVersion ? firstVersionCharges : charges),
      account,
      check: Effect.asVoid(account),
      ask: Effect.fnUntraced(function* (question) {
        const response = yield* askAbout(question.payload)
        return yield* readEasySlipAnswer(vendor, response, question, yield* Clock.currentTimeMillis)
      }),
      askWallet: Effect.fnUntraced(function* (question) {
        const response = yield* askAboutPicture(question.picture)
        return yield* readEasySlipWalletAnswer(vendor, response, question, yield* Clock.currentTimeMillis)
      })
    }, limits)
  })

export const makeEasySlipGateway = makeFamilyGateway({ name: "easyslip", title: "EasySlip", prefix: "EASYSLIP" })
export const makeThunderGateway = makeFamilyGateway({ name: "thunder", title: "Thunder", prefix: "THUNDER" })
