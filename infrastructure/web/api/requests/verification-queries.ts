import { JobStatus } from "../../../../domain/job.ts"
import { failureCodes } from "../../../../domain/failed-verification.ts"
import { Order } from "../../../../domain/order.ts"
import { Option, Schema, SchemaTransformation } from "effect"
import { isSendingBank } from "../../../../domain/bank.ts"
import { fromComputedBaht } from "../../../../domain/money.ts"
import { TRUEMONEY } from "../../../../domain/slip/wallet-payload.ts"
import { parseTimeInBangkok } from "../../../../domain/time.ts"
import { readNumber } from "../read-number.ts"
import { BooleanText, expected, field, literals, OperatorId, text } from "../values.ts"
import { inOrder, timeRange } from "./time-range.ts"

const satangIn = (value: string): number | undefined => {
  const baht = readNumber(value)
  return baht === undefined || baht < 0 ? undefined : Option.getOrUndefined(fromComputedBaht(baht))
}

/** Baht as text, decoded to satang. */
const BahtText = Schema.String.check(
  expected((value) => satangIn(value) !== undefined, "an amount of baht, with at most two decimals, such as 1500.50")
).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (value) => satangIn(value) ?? 0,
      encode: (amount) => String(amount / 100)
    })
  )
)

export const REFERENCE = /^(?:([^\s:]+):)?([A-Za-z0-9]{1,64})$/u

const isReference = (value: string): boolean => {
  const [, bank] = REFERENCE.exec(value) ?? [undefined, "none"]
  return bank === undefined || bank === TRUEMONEY || isSendingBank(bank)
}

const Reference = Schema.String.check(
  expected(isReference, "a transRef, or BANK:TRANSREF such as 004:013071152533APM07736")
)

const isReferenceEnd = (value: string): boolean => /^[A-Za-z0-9]{6}$/u.test(value)
const ReferenceEnd = Schema.String.check(
  expected(isReferenceEnd, "the last six letters or digits of a reference, such as M07736")
)

const newestFirst = field(
  literals(Order.literals),
  "Which entries come first, by their time: the `newest` by default, or the `oldest`."
)

/** The values of the filter by outcome. */
export const outcomeNames = ["verified", "duplicate", "failed", ...failureCodes] as const

const verificationFields = {
  ...timeRange("the time of the verification"),
  outcome: field(
    literals(outcomeNames),
    "Only this outcome: `verified` for the first time in the service, `duplicate`, `failed` for every failure, or the "
      + "code of one failure."
  ),
  isDuplicate: field(
    BooleanText,
    "`true`: only duplicates; `false`: only slips that were verified for the first time."
  ),
  accepted: field(BooleanText, "Only slips that met all conditions, or only those that did not."),
  minAmount: field(BahtText, "Only slips with this amount or more, in baht."),
  maxAmount: field(BahtText, "Only slips with this amount or less, in baht."),
  remark: field(text(255), "Only with this remark. Case and the amount of white space make no difference."),
  reference: field(
    Reference,
    "Only verifications of this slip: its transRef or transaction id, or `BANK:TRANSREF` with the sending bank."
  ),
  bankAccount: field(OperatorId, "Only slips whose receiver matched this bank account."),
  order: newestFirst
}

const amountsInOrder = Schema.makeFilter((
  { maxAmount = Infinity, minAmount = 0 }: { readonly minAmount?: number; readonly maxAmount?: number }
) => minAmount <= maxAmount || { path: ["maxAmount"], issue: "Expected an amount that is not below minAmount" })

/** The filters for listing verifications (docs/spec/http.md, "GET /v2/verifications"). */
export const VerificationQuery = Schema.Struct({
  ...verificationFields,
  referenceEnd: field(
    ReferenceEnd,
    "Only verifications of slips whose transRef or transaction id ends with these six characters. Case makes no "
      + "difference."
  )
}).check(inOrder, amountsInOrder)

/** The same for all branches (docs/spec/http.md, "Admin API"). */
export const AllVerificationsQuery = Schema.Struct({
  branch: field(OperatorId, "Only verifications of this branch."),
  service: field(OperatorId, "Only verifications of this service."),
  ...verificationFields
}).check(inOrder, amountsInOrder)

/** The filters for listing the jobs of a branch (docs/spec/http.md, "GET /v2/jobs"). */
export const BranchJobQuery = Schema.Struct({
  status: field(literals(JobStatus.literals), "Only jobs with this status."),
  ...timeRange("the time at which the job was accepted, or ended"),
  order: newestFirst
}).check(inOrder)

const DAY = /^\d{4}-\d{2}-\d{2}$/u

export const startOf = (day: string): number | undefined =>
  DAY.test(day) ? parseTimeInBangkok(day, "first")?.at : undefined

const Day = Schema.String.check(expected((value) => startOf(value) !== undefined, "a day such as 2026-11-21"))

/** The days for which usage is counted (docs/spec/http.md, "GET /v2/usage"). */
export const UsageQuery = Schema.Struct({
  from: field(Day, "The first day, in Bangkok; 29 days before `to` by default."),
  to: field(Day, "The last day; today by default. At most 92 days."),
  order: newestFirst
})
