import { Effect, Schema } from "effect"
import {
  type BankAccountFields,
  type PersonalFields,
  personalFields,
  personalOf
} from "../../domain/bank-account/fields.ts"
import type { Sealed } from "../../domain/sealed.ts"
import { Vault } from "../../ports/vault.ts"

/** What the sealed part of an account is bound to. */
export const accountPurpose = "bank-account"

/** What is sealed of an account. */
export const Details = Schema.Struct(personalFields)
const decodeDetails = Schema.decodeEffect(Schema.fromJsonString(Details))

/** Seals what of an account is personal data, so that it can stand in the log. */
export const sealDetails = Effect.fnUntraced(function* (fields: PersonalFields) {
  return yield* (yield* Vault).seal(accountPurpose, JSON.stringify(personalOf(fields)))
})

/** Opens it again. A value that no longer opens is a defect: the key is lost or the log was changed. */
export const openDetails = Effect.fnUntraced(function* (sealed: Sealed) {
  return personalOf(yield* decodeDetails(yield* (yield* Vault).open(accountPurpose, sealed)))
}, Effect.orDie)

/**
 * The name of a number at a bank that gives nothing away (docs/spec/events.md, "Personal data"); the number is digits
 * alone.
 */
export const numberDigest = Effect.fnUntraced(function* ({ bankCode, bankNumber }: BankAccountFields) {
  return (yield* Vault).digest(accountPurpose, `${bankCode}:${bankNumber}`)
})
