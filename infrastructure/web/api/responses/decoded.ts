import { Schema } from "effect"
import { SlipTime } from "../../../../application/views/values.ts"

const decodedText = {
  kind: Schema.Literals(["slip", "promptpay", "truemoney", "other"]),
  payload: Schema.String,
  sendingBank: Schema.NullOr(Schema.String),
  transRef: Schema.NullOr(Schema.String),
  crc: Schema.Literals(["ok", "repaired", "wrong"]).annotate({
    description: "Whether the checksum holds; `repaired`: it does with the leading zero that some bank apps lose."
  }),
  hints: Schema.Struct({
    transferredAt: Schema.optionalKey(SlipTime.annotate({ description: "Where the reference gives it away." }))
  })
}

/** The content of a QR code (docs/spec/http.md, "Offline look at a payload"). */
export const Decoded = Schema.Struct({
  ...decodedText,
  slips: Schema.Array(Schema.Struct(decodedText)).annotate({
    description: "Every slip that was found. More than one: the picture cannot be verified."
  })
}).annotate({ identifier: "Decoded" })
