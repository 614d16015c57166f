import { Schema } from "effect"
import { CallbackUrl, sourceFields, verifyFields } from "./fields.ts"
import { MAX_BATCH_SLIPS } from "../../../application/jobs/enqueue-slips.ts"

/** A file of a form, as it is on the wire. */
export const File = Schema.String.annotate({ format: "binary", contentMediaType: "application/octet-stream" })

const exactlyOne = (names: ReadonlyArray<string>) =>
  Schema.makeFilter((fields: object) => names.filter((name) => name in fields).length === 1, {
    toJsonSchema: () => ({ oneOf: names.map((name) => ({ required: [name] })) })
  })

const sources = ["payload", "image", "base64", "url"]
const formSources = [...sources, "file"]

const ONE_SOURCE = "Exactly one of `payload`, `image`, `base64`, `url`."

const formFields = {
  image: Schema.optionalKey(File.annotate({
    description: "A picture of the slip as a file, at most 4 MB; or text, as in JSON."
  })),
  file: Schema.optionalKey(File.annotate({ description: "The same as `image`." }))
}

const one = <Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) =>
  Schema.Struct(fields).check(exactlyOne(sources)).annotate({ identifier, description: ONE_SOURCE })

const form = <Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) =>
  Schema.Struct({ ...fields, ...formFields }).check(exactlyOne(formSources)).annotate({
    identifier,
    description: `${ONE_SOURCE} Numbers and booleans are sent as text.`
  })

const enqueueFields = { ...verifyFields, callbackUrl: CallbackUrl }

export const VerifyBody = one("VerifyRequest", verifyFields)
export const VerifyForm = form("VerifyForm", verifyFields)

export const EnqueueBody = one("EnqueueRequest", enqueueFields)
export const EnqueueForm = form("EnqueueForm", enqueueFields)

export const BatchBody = Schema.Struct({
  slips: Schema.Array(EnqueueBody).check(Schema.isBetweenLength(1, MAX_BATCH_SLIPS)).annotate({
    description: "Taken all together, or none of them. A slip's own `callbackUrl` wins."
  }),
  callbackUrl: CallbackUrl
}).annotate({ identifier: "BatchRequest", description: "At most 64 MB." })

export const DecodeBody = one("DecodeRequest", sourceFields)
export const DecodeForm = form("DecodeForm", sourceFields)
