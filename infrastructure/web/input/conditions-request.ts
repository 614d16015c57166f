import { ConditionsRequest, type Listed, PolicyRequest } from "../api/requests/conditions.ts"
import { Effect, Option, Result, Schema } from "effect"
import type { RequestedConditions } from "../../../application/verification/conditions.ts"
import {
  type BankAccountFields,
  checkFields,
  fieldsOf,
  type FieldsRefused
} from "../../../domain/bank-account/fields.ts"
import { fromComputedBaht, type Satang, satang } from "../../../domain/money.ts"
import { type Conditions, contradictionsIn } from "../../../domain/slip/conditions.ts"
import { fieldFault } from "./bank-account-requests.ts"
import { type Fields, invalid, type InvalidInput, strictFields } from "./decode.ts"
import type { Issue } from "../api/failures.ts"
import { withAmounts } from "./read-amount.ts"

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
