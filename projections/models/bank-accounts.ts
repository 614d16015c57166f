import { Schema } from "effect"
import type { BankAccountEvent } from "../../domain/bank-account/bank-account.ts"
import { bankAccounts } from "../../domain/events/aggregates.ts"
import { contentFields, contentOf } from "../../domain/bank-account/fields.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"

/**
 * The read model `bank-accounts`: the receiving accounts of branches and services, and the stream of each account. The
 * stream of a number decides whether the number is free.
 */
export const bankAccountsModel = { name: "bank-accounts", version: 1 } as const

/** Times are ISO 8601. `digest` is the digest of bank and number in the name of the account's stream. */
export const BankAccountRow = Schema.Struct({
  serviceId: Schema.String,
  digest: Schema.String,
  bankCode: Schema.String,
  ...contentFields,
  active: Schema.Boolean,
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type BankAccountRow = typeof BankAccountRow.Type

/** By account id. */
export const bankAccountRows = new Table(bankAccountsModel, "accounts", BankAccountRow)

export const bankAccountSets = {
  /** Accounts that a branch is linked to, scored by the time of the link in milliseconds. */
  ofBranch: (branchId: string) => new OrderedSet(bankAccountsModel, `branch:${branchId}`),
  /** The active ones of them. */
  activeOf: (branchId: string) => new OrderedSet(bankAccountsModel, `branch:${branchId}:active`),
  /** The deactivated ones, scored by the time of deactivation. */
  inactiveOf: (branchId: string) => new OrderedSet(bankAccountsModel, `branch:${branchId}:inactive`),
  /** All accounts of a service, scored by the time of registration. */
  ofService: (serviceId: string) => new OrderedSet(bankAccountsModel, `service:${serviceId}`),
  /** Branches that are linked to an account, scored by the time of the link. */
  branchesOf: (accountId: string) => new OrderedSet(bankAccountsModel, `branches:${accountId}`)
} as const

const linked = (accountId: string, branchId: string, at: string): ReadonlyArray<Write> => [
  bankAccountSets.ofBranch(branchId).add(accountId, at),
  bankAccountSets.activeOf(branchId).add(accountId, at),
  bankAccountSets.branchesOf(accountId).add(branchId, at)
]

/** `digest` is the one in the name of the event's stream. */
const writes = (event: BankAccountEvent, digest: string): ReadonlyArray<Write> => {
  const { accountId, at } = event
  switch (event._tag) {
    case "BankAccountRegistered": {
      const { bankCode, branchId, movedFrom, serviceId } = event
      // A claim: the account must not appear here before the other stream has `BankAccountMoved`.
      if (movedFrom !== null) return []
      const row = { serviceId, digest, bankCode, ...contentOf(event), active: true, createdAt: at, updatedAt: at }
      return [
        bankAccountRows.set(accountId, row),
        bankAccountSets.ofService(serviceId).add(accountId, at),
        ...linked(accountId, branchId, at)
      ]
    }
    case "BankAccountChanged":
      return [bankAccountRows.set(accountId, { ...contentOf(event), updatedAt: at })]
    case "BankAccountMoved": {
      const { bankCode, toDigest } = event
      return [bankAccountRows.set(accountId, { digest: toDigest, bankCode, ...contentOf(event), updatedAt: at })]
    }
    case "BankAccountLinked":
      return linked(accountId, event.branchId, at)
    case "BankAccountUnlinked":
      return [
        bankAccountSets.ofBranch(event.branchId).remove(accountId),
        bankAccountSets.activeOf(event.branchId).remove(accountId),
        bankAccountSets.branchesOf(accountId).remove(event.branchId)
      ]
    case "BankAccountDeactivated": {
      if (event.reason === "move-abandoned") return []
      const ended = event.branchIds.flatMap((branchId) => [
        bankAccountSets.activeOf(branchId).remove(accountId),
        bankAccountSets.inactiveOf(branchId).add(accountId, at)
      ])
      return [bankAccountRows.set(accountId, { active: false, updatedAt: at }), ...ended]
    }
    case "BankAccountResealed":
      return [bankAccountRows.set(accountId, { details: event.details })]
    case "BankAccountMoveRefused":
      return []
  }
}

export const bankAccountsProjection: Projection = {
  ...bankAccountsModel,
  streams: ["bankAccount-"],
  isFirst: true,
  when: (recorded) =>
    writes(decoded(bankAccounts, recorded), recorded.stream.slice(recorded.stream.lastIndexOf("-") + 1))
}
