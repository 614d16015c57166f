import { Schema } from "effect"
import { Sealed } from "../../domain/sealed.ts"

/**
 * The shape of the read model `bank-accounts`: which accounts a branch, or a service, receives money on, and where in
 * the log each of them stands. Whether a number is free, its stream decides.
 */
export const bankAccountsModel = { name: "bank-accounts", version: 1 } as const

export const bankAccountsTables = {
  /** Account id → `BankAccountRow`. */
  accounts: "accounts"
} as const

export const bankAccountsSets = {
  /** Accounts that a branch is linked to, scored by when it was, in milliseconds. */
  ofBranch: (branchId: string): string => `branch:${branchId}`,
  /** Those of them that are in use. */
  activeOf: (branchId: string): string => `branch:${branchId}:active`,
  /** The others, scored by when they went out of use. */
  inactiveOf: (branchId: string): string => `branch:${branchId}:inactive`,
  /** All of a service, scored by when they were registered. */
  ofService: (serviceId: string): string => `service:${serviceId}`,
  /** Branches that are linked to an account, scored by when they were. */
  branchesOf: (accountId: string): string => `branches:${accountId}`
} as const

/** Times are ISO 8601; `digest` is that of its bank and number, after which its stream is named. */
export const BankAccountRow = Schema.Struct({
  serviceId: Schema.String,
  digest: Schema.String,
  bankCode: Schema.String,
  /** JSON of the number and the names. */
  details: Sealed,
  type: Schema.NullOr(Schema.Literals(["PERSONAL", "JURISTIC"])),
  extraVerify: Schema.NullOr(Schema.String),
  active: Schema.Boolean,
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type BankAccountRow = typeof BankAccountRow.Type
