import { Option, Schema } from "effect"
import { isSendingBank } from "../../../../domain/bank.ts"
import { fromComputedBaht } from "../../../../domain/money.ts"
import { TRUEMONEY } from "../../../../domain/slip/wallet-payload.ts"
import { accountFields } from "./bank-accounts.ts"
import { expected, field, isArrayUpTo, ZonedTime } from "../values.ts"

const isAmount = (baht: number): boolean => Option.exists(fromComputedBaht(baht), (amount) => amount > 0)

/** Baht above 0, with at most two decimals, except for the error of a floating-point sum. */
export const Amount = Schema.Finite.check(
  Schema.makeFilter((baht: number) => isAmount(baht) || "Expected an amount above 0 with at most two decimals", {
    // `multipleOf` cannot express decimals: validators divide binary fractions.
    toJsonSchema: () => [{ exclusiveMinimum: 0, maximum: 9_999_999_999_999.99 }, true]
  })
)

/** Closes an object: a condition that the service does not know must not be ignored. */
const closed = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotate({
    messageUnexpectedKey: `Unknown field: give one of ${Object.keys(fields).join(", ")}`
  }).check(Schema.makeFilter((_: object) => true, { toJsonSchema: () => ({ additionalProperties: false }) }))

const AmountConditions = closed({
  equals: field(Amount, "The amount is exactly this.", 1500.5),
  atLeast: field(Amount, "The amount is this or more."),
  atMost: field(Amount, "The amount is this or less.")
}).annotate({ identifier: "AmountConditions", description: "Baht. `equals` alone, or one or both of the others." })

/** A year. */
const MAX_MINUTES = 527_040

const TimeConditions = closed({
  after: field(ZonedTime, "Transferred in this second or later; ISO 8601 with an offset.", "2026-11-21T12:00:00+07:00"),
  before: field(ZonedTime, "Transferred in this second or earlier; ISO 8601 with an offset."),
  withinMinutes: field(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_MINUTES })),
    "Transferred at most so many minutes before the request arrived.",
    60
  )
}).annotate({ identifier: "TimeConditions", description: "At least one field. The bounds are included." })

const MAX_RECEIVERS = 20

const Receiver = closed({
  bankCode: accountFields.bankCode,
  bankNumber: accountFields.bankNumber,
  nameTh: Schema.optionalKey(accountFields.nameTh),
  nameEn: Schema.optionalKey(accountFields.nameEn),
  extraVerify: Schema.optionalKey(accountFields.extraVerify),
  ref1: Schema.optionalKey(accountFields.ref1),
  merchantId: Schema.optionalKey(accountFields.merchantId)
}).annotate({ identifier: "ListedReceiver", description: "An account, as `POST /v2/bank-accounts` takes it." })

const SendingBanks = Schema.Array(
  Schema.String.check(
    expected(
      (code) => isSendingBank(code) || code === TRUEMONEY,
      "the three digits of a bank of the bank list, or TRUEMONEY"
    )
  )
).check(isArrayUpTo(50)).annotate({
  description: "The banks that the money may come from, codes of `GET /v2/banks`; `TRUEMONEY` for the wallet.",
  examples: [["004", "014"]]
})

const Registered = Schema.Literal("registered").annotate({
  description: "The receiver is one of the branch's bank accounts."
})

const fields = {
  amount: Schema.optionalKey(AmountConditions),
  transferredAt: Schema.optionalKey(TimeConditions),
  sendingBanks: Schema.optionalKey(SendingBanks),
  duplicate: Schema.optionalKey(
    Schema.Literals(["reject", "allow"]).annotate({
      description: "Whether a slip that any branch of the service verified before is accepted.",
      default: "reject"
    })
  )
}

export const Listed = Schema.Array(Receiver).check(isArrayUpTo(MAX_RECEIVERS)).annotate({
  description: "The receiver is one of these accounts."
})

/** The conditions of a request (docs/spec/http.md, "Conditions"). */
export const ConditionsRequest = closed({
  ...fields,
  receivers: Schema.optionalKey(Schema.Union([Registered, Listed]))
}).annotate({
  identifier: "Conditions",
  description: "At least one field. A field replaces the same field of the branch's policy."
})

/** The conditions of a policy. They name no account: the branch's bank accounts have owners and are sealed. */
export const PolicyRequest = closed({ ...fields, receivers: Schema.optionalKey(Registered) }).annotate({
  identifier: "PolicyRequest",
  description: "At least one field. The whole policy is replaced."
})
