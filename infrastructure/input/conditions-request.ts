import { Effect, Option, Result, Schema } from "effect"
import type { RequestedConditions } from "../../application/verification/conditions.ts"
import { type BankAccountFields, checkFields, fieldsOf, type FieldsRefused } from "../../domain/bank-account/fields.ts"
import { isSendingBank } from "../../domain/bank.ts"
import { fromComputedBaht, type Satang, satang } from "../../domain/money.ts"
import { type Conditions, contradictionsIn } from "../../domain/slip/conditions.ts"
import { TRUEMONEY } from "../../domain/slip/wallet-payload.ts"
import { accountFields, fieldFault } from "./bank-account-requests.ts"
import { type Fields, invalid, type InvalidInput, isArrayUpTo, type Issue, strictFields } from "./decode.ts"
import { ZonedTime } from "./operator-requests.ts"
import { withAmounts } from "./read-amount.ts"

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
  equals: Schema.optionalKey(Amount.annotate({ description: "The amount is exactly this.", examples: [1500.5] })),
  atLeast: Schema.optionalKey(Amount.annotate({ description: "The amount is this or more." })),
  atMost: Schema.optionalKey(Amount.annotate({ description: "The amount is this or less." }))
}).annotate({ identifier: "AmountConditions", description: "Baht. `equals` alone, or one or both of the others." })

/** A year. */
const MAX_MINUTES = 527_040

const TimeConditions = closed({
  after: Schema.optionalKey(ZonedTime.annotate({
    description: "Transferred in this second or later; ISO 8601 with an offset.",
    examples: ["2026-11-21T12:00:00+07:00"]
  })),
  before: Schema.optionalKey(ZonedTime.annotate({
    description: "Transferred in this second or earlier; ISO 8601 with an offset."
  })),
  withinMinutes: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_MINUTES })).annotate({
      description: "Transferred at most so many minutes before the request arrived.",
      examples: [60]
    })
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
    Schema.makeFilter((code: string) =>
      isSendingBank(code) || code === TRUEMONEY || "Expected the three digits of a bank of the bank list, or TRUEMONEY"
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

const Listed = Schema.Array(Receiver).check(isArrayUpTo(MAX_RECEIVERS)).annotate({
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

/** Baht that `Amount` has checked. */
const toSatang = (baht: number): Satang => Option.getOrElse(fromComputedBaht(baht), () => satang(0))

type Sent = typeof PolicyRequest.Type

const conditionsOf = ({ amount, duplicate, sendingBanks, transferredAt }: Omit<Sent, "receivers">): Conditions => ({
  ...(amount === undefined ? {} : {
    amount: {
      ...(amount.equals === undefined ? {} : { equals: toSatang(amount.equals) }),
      ...(amount.atLeast === undefined ? {} : { atLeast: toSatang(amount.atLeast) }),
      ...(amount.atMost === undefined ? {} : { atMost: toSatang(amount.atMost) })
    }
  }),
  ...(transferredAt === undefined ? {} : { transferredAt }),
  ...(sendingBanks === undefined ? {} : { sendingBanks }),
  ...(duplicate === undefined ? {} : { duplicate })
})

const under = (path: string) => ({ message, path: inner }: Issue): Issue => ({
  path: inner === "" ? path : path === "" ? inner : `${path}.${inner}`,
  message
})

/** Fails with all issues, below `path`. */
const failWith = (path: string, issues: ReadonlyArray<Issue>) => Effect.fail(invalid(...issues.map(under(path))))

const consistent = (conditions: Conditions, path: string): Effect.Effect<Conditions, InvalidInput> => {
  const faults = contradictionsIn(conditions)
  return faults.length === 0 ? Effect.succeed(conditions) : failWith(path, faults)
}

/** Without a name, an account that is compared by name is never proven. */
const faultsOf = (checked: Result.Result<BankAccountFields, FieldsRefused>): ReadonlyArray<Issue> => {
  if (Result.isFailure(checked)) return fieldFault(checked.failure).issues
  const { extraVerify, nameEn, nameTh } = checked.success
  return extraVerify?.startsWith("NAME") === true && nameTh === "" && nameEn === null
    ? [{ path: "nameTh", message: `Needed for ${extraVerify}: give nameTh or nameEn` }]
    : []
}

/** Checks the listed accounts like bank accounts: `bankCode` with `extraVerify`, and the length of the number. */
const receiversOf = (listed: typeof Listed.Type) => {
  const checked = listed.map((receiver) => checkFields(fieldsOf({ ...receiver, nameTh: receiver.nameTh ?? "" })))
  const issues = checked.flatMap((result, index) => faultsOf(result).map(under(`receivers.${index}`)))
  return issues.length > 0 ? failWith("conditions", issues) : Effect.succeed(
    checked.flatMap((result) => Result.isSuccess(result) ? [result.success] : []).map(
      ({ bankCode, bankNumber, extraVerify, merchantId, nameEn, nameTh, ref1 }) => ({
        bankCode,
        bankNumber,
        nameTh,
        nameEn,
        extraVerify,
        ...(ref1 === null ? {} : { ref1 }),
        ...(merchantId === null ? {} : { merchantId })
      })
    )
  )
}

const NO_OBJECT = "Expected an object; in a form, its JSON of at most 8192 characters"

const decodeRequest = strictFields(Schema.Struct({ conditions: Schema.optionalKey(ConditionsRequest) }))

/** Decodes the field `conditions` of a request; undefined without it. */
export const decodeConditions = (value: unknown) => value === undefined ? Effect.undefined : decodeGiven(value)

const decodeGiven = Effect.fnUntraced(function* (value: unknown) {
  if (typeof value !== "object") return yield* invalid({ path: "conditions", message: NO_OBJECT })
  const { conditions: sent } = yield* decodeRequest({ conditions: value })
  if (sent === undefined) return undefined
  const { receivers: accepted, ...others } = sent
  const receivers = accepted === undefined || accepted === "registered" ? [] : yield* receiversOf(accepted)
  const named = accepted === undefined ? {} : { receivers: accepted === "registered" ? accepted : "listed" as const }
  const requested: RequestedConditions = {
    conditions: yield* consistent({ ...conditionsOf(others), ...named }, "conditions"),
    receivers
  }
  return requested
})

const decodePolicyFields = strictFields(PolicyRequest)

/** Decodes the policy of a branch. */
export const decodePolicy = Effect.fnUntraced(function* (fields: Fields) {
  const { receivers, ...others } = yield* decodePolicyFields(withAmounts(fields))
  return yield* consistent({ ...conditionsOf(others), ...(receivers === undefined ? {} : { receivers }) }, "")
})
