import type { BankAccountEvent } from "../../domain/bank-account/bank-account.ts"
import { bankAccounts } from "../../domain/events/aggregates.ts"
import { type BankAccountRow, bankAccountsModel, bankAccountsSets, bankAccountsTables } from "./bank-accounts-rows.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"

const set = (accountId: string, fields: Partial<BankAccountRow>): Write => ({
  _tag: "SetFields",
  table: bankAccountsTables.accounts,
  key: accountId,
  fields
})

const add = (set: string, member: string, at: string): Write => ({
  _tag: "AddMember",
  set,
  member,
  score: Date.parse(at)
})

const remove = (set: string, member: string): Write => ({ _tag: "RemoveMember", set, member })

const linked = (accountId: string, branchId: string, at: string): ReadonlyArray<Write> => [
  add(bankAccountsSets.ofBranch(branchId), accountId, at),
  add(bankAccountsSets.activeOf(branchId), accountId, at),
  add(bankAccountsSets.branchesOf(accountId), branchId, at)
]

/** `digest` is that of the stream in which the event stands. */
const writes = (event: BankAccountEvent, digest: string): ReadonlyArray<Write> => {
  const { accountId, at } = event
  switch (event._tag) {
    case "BankAccountRegistered": {
      const { bankCode, branchId, details, extraVerify, movedFrom, serviceId, type } = event
      // A claim: nobody is to see it before the other stream says that the account has moved.
      if (movedFrom !== null) return []
      const content = { serviceId, digest, bankCode, details, type, extraVerify }
      return [
        set(accountId, { ...content, active: true, createdAt: at, updatedAt: at }),
        add(bankAccountsSets.ofService(serviceId), accountId, at),
        ...linked(accountId, branchId, at)
      ]
    }
    case "BankAccountChanged": {
      const { details, extraVerify, type } = event
      return [set(accountId, { details, type, extraVerify, updatedAt: at })]
    }
    case "BankAccountMoved": {
      const { bankCode, details, extraVerify, toDigest, type } = event
      return [set(accountId, { digest: toDigest, bankCode, details, type, extraVerify, updatedAt: at })]
    }
    case "BankAccountLinked":
      return linked(accountId, event.branchId, at)
    case "BankAccountUnlinked":
      return [
        remove(bankAccountsSets.ofBranch(event.branchId), accountId),
        remove(bankAccountsSets.activeOf(event.branchId), accountId),
        remove(bankAccountsSets.branchesOf(accountId), event.branchId)
      ]
    case "BankAccountDeactivated": {
      if (event.reason === "move-abandoned") return []
      const ended = event.branchIds.flatMap((branchId) => [
        remove(bankAccountsSets.activeOf(branchId), accountId),
        add(bankAccountsSets.inactiveOf(branchId), accountId, at)
      ])
      return [set(accountId, { active: false, updatedAt: at }), ...ended]
    }
    case "BankAccountMoveRefused":
      return []
  }
}

/** The accounts that branches receive money on. */
export const bankAccountsProjection: Projection = {
  ...bankAccountsModel,
  streams: ["bankAccount-"],
  when: (recorded) =>
    writes(bankAccounts.codec.decode(recorded), recorded.stream.slice(recorded.stream.lastIndexOf("-") + 1))
}
