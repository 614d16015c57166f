import { Schema, SchemaTransformation } from "effect"
import { MAX_BATCH_SLIPS } from "../../../../domain/job.ts"
import { MAX_PICTURE_TEXT } from "../body-limits.ts"
import { Amount, ConditionsRequest } from "./conditions.ts"
import { field, isArrayUpTo, text } from "../values.ts"

/** Base64 of the largest picture, with room for line breaks and the head of a data URI. */
export const Base64Text = text(MAX_PICTURE_TEXT)

/**
 * The fields of JSON that hold the slip (docs/spec/http.md, "POST /v2/verify/bank"). The decoder and the OpenAPI
 * document both use them.
 */
export const sourceFields = {
  payload: field(
    text(128),
    "The text of the slip's QR code.",
    "0046000600000101030040225SBXF000037S20TOVMTPDR6N6V5102TH91040040"
  ),
  image: field(
    Base64Text,
    "A picture of the slip: base64, a data URI, or an http(s) URL of at most 2048 characters. JPEG, "
      + "PNG, GIF or WebP, judged by its bytes; at most 4 MB (4 194 304 bytes), 25 megapixels, and 16 384 pixels on a "
      + "side. What begins with a URI scheme is a URL (`data:` is inline data), everything else is base64.",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA",
    "https://shop.example/slips/42.png"
  ),
  base64: field(Base64Text, "A picture as base64 or a data URI; the same as `image`."),
  url: Schema.optionalKey(
    text(2048).annotate({
      description: "An http(s) URL of a picture, without a user name or password. It is fetched from public addresses "
        + "only, through at most three redirects.",
      examples: ["https://shop.example/slips/42.png"]
    })
  )
}

/** The fields of a verification in JSON (docs/spec/http.md, "POST /v2/verify/bank"). */
export const verifyFields = {
  ...sourceFields,
  remark: field(text(255), "Given back in the answer and in the callback.", "order 42"),
  matchAmount: field(
    Amount,
    "The amount that is expected, in baht with at most two decimals; `isAmountMatched` says whether it "
      + "is the slip's. A number within a millionth of a satang of such an amount is rounded to it.",
    1500.5
  ),
  matchAccount: field(
    Schema.Boolean,
    "Compare the receiver with the branch's bank accounts; `match` says what came of it."
  ),
  bankCode: field(
    Schema.String,
    "Compare with the accounts of this bank alone, a code of `GET /v2/banks`. It implies `matchAccount`.",
    "004"
  ),
  extraVerify: field(
    Schema.String,
    "How to compare, one of the bank's `extraVerify` values. Needed with a `bankCode` that has such "
      + "values, refused with one that has none.",
    "MSISDN"
  ),
  conditions: Schema.optionalKey(ConditionsRequest).pipe(Schema.annotateKey({
    description: "When the slip is accepted; `accepted` and `reasons` of the answer say whether it is."
  })),
  checkDuplicate: field(Schema.Boolean, "Accepted and without effect: `isDuplicate` is always the truth.")
}

/** The URL for a result. Its host is checked later, together with the other URLs of a batch. */
export const CallbackUrl = Schema.optionalKey(
  text(2048).annotate({
    description: "A public https URL that the result is sent to; without it the branch's default webhook URL. A name "
      + "that does not resolve at the moment is accepted and judged at every attempt.",
    examples: ["https://shop.example/slip-results"]
  })
)

/** A file of a form, as the caller sends it. */
export const File = Schema.String.annotate({ format: "binary", contentMediaType: "application/octet-stream" })

const exactlyOne = (names: ReadonlyArray<string>) =>
  Schema.makeFilter((fields: object) => names.filter((name) => name in fields).length === 1, {
    toJsonSchema: () => ({ oneOf: names.map((name) => ({ required: [name] })) })
  })

/** The conditions in a form. */
const conditionsText = {
  conditions: Schema.optionalKey(Schema.String.annotate({
    description: "The conditions as JSON of at most 8192 characters.",
    contentMediaType: "application/json",
    examples: ['{"amount":{"atLeast":100},"receivers":"registered"}']
  }))
}

const formFields = {
  image: Schema.optionalKey(
    File.annotate({ description: "A picture of the slip as a file, at most 4 MB; or text, as in JSON." })
  ),
  file: Schema.optionalKey(File.annotate({ description: "The same as `image`." }))
}

/** The bodies that have exactly one of these sources: in JSON, in a form with a file, and in a form of text alone. */
const bodiesWithOne = (sources: ReadonlyArray<string>, description: string) => {
  const json = <Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) =>
    Schema.Struct(fields).check(exactlyOne(sources)).annotate({ identifier, description })
  const form = <Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) =>
    Schema.Struct({ ...fields, ...formFields }).check(exactlyOne([...sources, "file"])).annotate({
      identifier,
      description: `${description} Numbers and booleans are sent as text.`
    })
  const all = <Fields extends Schema.Struct.Fields>(name: string, fields: Fields) => ({
    json: json(`${name}Request`, fields),
    form: form(`${name}Form`, { ...fields, ...conditionsText }),
    urlencoded: json(`${name}Urlencoded`, { ...fields, ...conditionsText })
  })
  return { json, form, all }
}

const slip = bodiesWithOne(
  ["payload", "image", "base64", "url"],
  "Exactly one of `payload`, `image`, `base64`, `url`."
)
const picture = bodiesWithOne(
  ["image", "base64", "url"],
  "Exactly one of `image`, `base64`, `url`: a TrueMoney slip is verified from its picture."
)

const enqueueFields = { ...verifyFields, callbackUrl: CallbackUrl }

const { payload: _payload, ...pictureFields } = verifyFields
const { base64: _base64, image: _image, ...urlFields } = pictureFields

export const verifyBodies = slip.all("Verify", verifyFields)
export const enqueueBodies = slip.all("Enqueue", enqueueFields)

/** A TrueMoney slip (docs/spec/http.md, "POST /v2/verify/truewallet"). */
export const walletBodies = picture.all("Wallet", pictureFields)

const ONE_URL = "A TrueMoney slip, by the URL of its picture. Pictures are never stored, and a job needs the picture."

/** A TrueMoney slip to verify later (docs/spec/http.md, "TrueMoney slips later"). */
const walletEnqueueFields = { ...urlFields, url: sourceFields.url.schema, callbackUrl: CallbackUrl }
export const WalletEnqueueRequest = Schema.Struct(walletEnqueueFields).annotate({
  identifier: "WalletEnqueueRequest",
  description: ONE_URL
})
export const WalletEnqueueUrlencoded = Schema.Struct({ ...walletEnqueueFields, ...conditionsText }).annotate({
  identifier: "WalletEnqueueUrlencoded",
  description: ONE_URL
})

export const BatchRequest = Schema.Struct({
  slips: Schema.Array(enqueueBodies.json).check(isArrayUpTo(MAX_BATCH_SLIPS)).annotate({
    description: "Taken all together, or none of them. A slip's own `callbackUrl` wins."
  }),
  callbackUrl: CallbackUrl
}).annotate({ identifier: "BatchRequest", description: "At most 64 MB." })

export const WalletBatchRequest = Schema.Struct({
  slips: Schema.Array(WalletEnqueueRequest).check(isArrayUpTo(MAX_BATCH_SLIPS)).annotate({
    description: "Accepted all together, or none of them. A slip's own `callbackUrl` wins."
  }),
  callbackUrl: CallbackUrl
}).annotate({ identifier: "WalletBatchRequest" })

export const DecodeRequest = slip.json("DecodeRequest", sourceFields)
export const DecodeForm = slip.form("DecodeForm", sourceFields)

/** The branch's default webhook URL (docs/spec/http.md, "GET /v2/webhook"). */
export const WebhookRequest = Schema.Struct({
  url: Schema.NullOr(text(2048)).annotate({ description: "A public https URL; null to call nobody." })
}).annotate({ identifier: "WebhookRequest" })

/** The body of a request for a note (docs/spec/http.md, "POST /v2/verifications/:verificationId/notes"). */
export const NoteRequest = Schema.Struct({
  text: Schema.String.annotate({ description: "1 to 500 characters, without the spaces around them." }).pipe(
    Schema.decodeTo(text(500), SchemaTransformation.trim())
  )
}).annotate({ identifier: "NoteRequest" })
