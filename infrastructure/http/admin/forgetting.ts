import { Effect, Schema } from "effect"
import type { Fields } from "../body.ts"
import { decodeFields, text } from "../decode-fields.ts"
import { Slip } from "./trail-query.ts"

const decode = decodeFields(Schema.Struct({ slip: Slip, reason: Schema.optionalKey(Schema.NullOr(text(500))) }))

/** Which slip is to be forgotten, and why: `{slip, reason?}`; the reason stands in the log in the clear. */
export const decodeForgetting = (fields: Fields) =>
  Effect.map(decode(fields), ({ reason = null, slip }) => {
    const [sendingBank = "", transRef = ""] = slip.split(":")
    return { sendingBank, transRef, reason }
  })
