import { Schema } from "effect"
import { me, rawSlip, rawWalletSlip, requests, walletRequests } from "../examples.ts"
import { Base64Text, File } from "../requests/slips.ts"
import type { BranchOperation } from "../operation.ts"
import { RawSlip, RawWalletSlip } from "../../../../application/views/slip.ts"
import { Count, Time } from "../../../../application/views/values.ts"
import { v1CallerCodes, type V1Code, v1VerifyCodes } from "../failures.ts"
import { field, flag } from "../values.ts"
import { ok, operationsOf } from "./declare.ts"

const { get, post } = operationsOf("v1")

const Me = Schema.Struct({
  application: Schema.String,
  usedQuota: Count,
  maxQuota: Schema.NullOr(Count),
  remainingQuota: Schema.NullOr(Count),
  expiredAt: Schema.NullOr(Time)
}).annotate({ identifier: "V1Me" })

const Payload = Schema.String.annotate({ description: "The text of the slip's QR code, at most 128 characters." })
const DUPLICATE = "Whether a slip that was verified before is the error duplicate_slip; false without it."
const Picture = Base64Text.annotate({ description: "Base64, a data URI, or an http(s) URL." })

const fields = {
  payload: Schema.optionalKey(Payload),
  data: Schema.optionalKey(Picture),
  image: Schema.optionalKey(Picture),
  url: field(Schema.String, "An http(s) URL of a picture."),
  checkDuplicate: field(Schema.Union([Schema.Boolean, Schema.Literals(["true", "false"])]), DUPLICATE)
}

const ONE_SOURCE = "Exactly one of `payload`, `data`, `image`, `url`"

const VerifyBody = Schema.Struct(fields).annotate({ identifier: "V1VerifyRequest", description: `${ONE_SOURCE}.` })
const pictureFormFields = {
  image: Schema.optionalKey(File.annotate({ description: "A file, as `file`; or text, as in JSON." })),
  file: Schema.optionalKey(File.annotate({ description: "A picture of the slip as a file, at most 4 MB." }))
}
const VerifyForm = Schema.Struct({ ...fields, ...pictureFormFields }).annotate({
  identifier: "V1VerifyForm",
  description: `${ONE_SOURCE}, \`file\`.`
})

const { payload: _payload, ...pictureFields } = fields
const ONE_PICTURE = "Exactly one of `data`, `image`, `url`"

const WalletBody = Schema.Struct(pictureFields).annotate({
  identifier: "V1WalletRequest",
  description: `${ONE_PICTURE}.`
})
const WalletForm = Schema.Struct({ ...pictureFields, ...pictureFormFields }).annotate({
  identifier: "V1WalletForm",
  description: `${ONE_PICTURE}, \`file\`.`
})

const verified = ok(RawSlip, "", { slip: { summary: "Genuine", value: rawSlip } })

const pictureCodes = [
  ...v1CallerCodes,
  ...v1VerifyCodes,
  "invalid_url",
  "invalid_image",
  "image_size_too_large",
  "qrcode_not_found"
] as const

/** The operations of v1 (docs/spec/http.md, "v1"). */
export const v1 = {
  me: get("/v1/me", {
    scopes: "every-key",
    summary: "Application and quota",
    description: "Never charged.",
    success: ok(Me, "", { me: { summary: "A limited quota", value: me } }),
    codes: v1CallerCodes
  }),
  verifyPayload: get("/v1/verify", {
    scopes: ["verify"],
    summary: "Verify a payload",
    description: "Keys, quota, duplicates and charging are shared with v2.",
    query: Schema.Struct({
      payload: Payload.pipe(
        Schema.annotateKey({ description: "The text of the slip's QR code.", examples: [requests.payload.payload] })
      ),
      checkDuplicate: flag(DUPLICATE)
    }),
    refusesHead: true,
    success: verified,
    codes: [...v1CallerCodes, ...v1VerifyCodes]
  }),
  verifyPicture: post("/v1/verify", {
    scopes: ["verify"],
    summary: "Verify a picture, or a payload",
    description: "Keys, quota, duplicates and charging are shared with v2.",
    body: {
      json: VerifyBody,
      form: VerifyForm,
      urlencoded: VerifyBody,
      examples: {
        url: { summary: "A picture by its URL", value: { ...requests.url, checkDuplicate: true } },
        payload: { summary: "The text of the QR code", value: requests.payload }
      }
    },
    success: verified,
    codes: pictureCodes
  }),
  verifyWallet: post("/v1/verify/truewallet", {
    scopes: ["verify"],
    summary: "Verify a TrueMoney slip",
    description: "From its picture. Keys, quota, duplicates and charging are shared with v2.",
    body: {
      json: WalletBody,
      form: WalletForm,
      urlencoded: WalletBody,
      examples: {
        url: { summary: "A picture by its URL", value: { url: walletRequests.url.url, checkDuplicate: true } }
      }
    },
    success: ok(RawWalletSlip, "", { slip: { summary: "Genuine", value: rawWalletSlip } }),
    codes: [...pictureCodes, "truewallet_not_supported"]
  })
} as const satisfies Record<string, BranchOperation<V1Code>>
