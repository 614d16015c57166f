import { Schema, Struct } from "effect"
import { faults } from "./faults.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A response that is sent unchanged. */
const FixedAnswer = Schema.Struct({
  status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String
})

const planFields = {
  fault: Schema.Literals(faults),
  /** How many questions about slips meet the fault; null is all. */
  times: Schema.NullOr(Count),
  /** Before each answer. */
  delayMillis: Count,
  /** `Retry-After` of the fault `rate-limit`. */
  retryAfterSeconds: Count,
  /** The answer to each question about a slip. Such a question costs nothing. */
  answer: Schema.NullOr(FixedAnswer),
  /** The answer to each question about the quota. */
  quotaAnswer: Schema.NullOr(FixedAnswer)
}

/** How a vendor behaves. */
export interface Plan extends Schema.Struct.Type<typeof planFields> {}

export const noPlan: Plan = {
  fault: "none",
  times: null,
  delayMillis: 0,
  retryAfterSeconds: 2,
  answer: null,
  quotaAnswer: null
}

const accountFields = {
  limit: Count,
  remaining: Schema.Int,
  overdraft: Count,
  expiresAt: Schema.String.check(
    Schema.makeFilter((text: string) => !Number.isNaN(Date.parse(text)) || "Expected a time in ISO 8601")
  ),
  chargesNotFound: Schema.Boolean
}

/** Changes to the behaviour and the account of one vendor. An absent field keeps its value. */
export const VendorChanges = Schema.Struct({
  ...Struct.map(planFields, Schema.optionalKey),
  account: Schema.optionalKey(Schema.Struct(Struct.map(accountFields, Schema.optionalKey)))
})
export type VendorChanges = typeof VendorChanges.Type

const optionalChanges = Schema.optionalKey(VendorChanges)

/** The body of `PUT /_control`. */
export const ControlRequest = Schema.Struct({
  easyslip: optionalChanges,
  thunder: optionalChanges,
  slipok: optionalChanges,
  slip2go: optionalChanges,
  rdcw: optionalChanges
})
export type ControlRequest = typeof ControlRequest.Type
