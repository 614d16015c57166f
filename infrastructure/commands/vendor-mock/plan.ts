import { Schema, Struct } from "effect"
import { accountFields, Count } from "./account.ts"
import { faults } from "./faults.ts"

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

/** Changes to the behaviour and the account of one vendor. An absent field keeps its value. */
export const VendorChanges = Schema.Struct({
  ...Struct.map(planFields, Schema.optionalKey),
  account: Schema.optionalKey(Schema.Struct(Struct.map(accountFields, Schema.optionalKey)))
})
export type VendorChanges = typeof VendorChanges.Type

/** The body of `PUT /_control`: changes by the name of the vendor. */
export const ControlRequest = Schema.Record(Schema.String, VendorChanges)
