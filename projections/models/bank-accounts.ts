import { Schema } from "effect"
import type { BankAccountEvent } from "../../domain/bank-account/bank-account.ts"
import { bankAccounts } from "../../domain/events/aggregates.ts"
import { contentFields, contentOf } from "../../domain/bank-account/fields.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"

/**
 * The read model `bank-accounts`: which accounts a branch, or a service, receives money on, and where in the log each
 * of them is. The stream of a number decides whether the number is free.
 */
export const bankAccountsModel = { name: "bank-accounts", version: 1 } as const

/** Times are ISO 8601; `digest` is that of its bank and number, after which its stream is named. */
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
  /** Accounts that a branch is linked to, scored by when it was, in milliseconds. */
  ofBranch: (branchId: string) => new OrderedSet(bankAccountsModel, `branch:${branchId}`),
  /** Those of them that are in use. */
  activeOf: (branchId: string) => new OrderedSet(bankAccountsModel, `branch:${branchId}:active`),
  /** The others, scored by when they went out of use. */
  inactiveOf: (branchId: string) => new OrderedSet(bankAccountsModel, `branch:${branchId}:inactive`),
  /** All of a service, scored by when they were registered. */
  ofService: (serviceId: string) => new OrderedSet(bankAccountsModel, `service:${serviceId}`),
  /** Branches that are linked to an account, scored by when they were. */
  branchesOf: (accountId: string) => new OrderedSet(bankAccountsModel, `branches:${accountId}`)
} as const

const linked = (accountId: string, branchId: string, at: string): ReadonlyArray<Write> => [
  bankAccountSets.ofBranch(branchId).add(accountId, at),
  bankAccountSets.activeOf(branchId).add(accountId, at),
  bankAccountSets.branchesOf(accountId).add(branchId, at)
]

/** `digest` is that of the stream of the event. */
const writes = (event: BankAccountEvent, digest: string): ReadonlyArray<Write> => {
  const { accountId, at } = event
  switch (event._tag) {
    case "BankAccountRegistered": {
      const { bankCode, branchId, movedFrom, serviceId } = event
      // A claim: it must not show before the other stream says that the account has moved.
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
    case "BankAccountMoveRefused":
      return []
  }
}

export const bankAccountsProjection: Projection = {
  ...bankAccountsModel,
  streams: ["bankAccount-"],
  when: (recorded) =>
    writes(bankAccounts.codec.decode(recorded), recorded.stream.slice(recorded.stream.lastIndexOf("-") + 1))
}
