import { Effect } from "effect"
import { type AccountCommand, AccountNotFound } from "../../domain/account.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { accounts } from "../../domain/events/aggregates.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Directory, sealContact } from "./directory.ts"
import { operate, type Operation, shown } from "./operator-command.ts"

const find = (id: string) => Effect.flatMap(Directory, (directory) => directory.account(id))

export interface NewAccount {
  readonly name: string | null
  readonly email: string | null
}

/** Makes the stream of an owner of services. */
export const appendAccount = Effect.fnUntraced(function* (input: NewAccount, operation: Operation) {
  const accountId = (yield* Identifiers).random()
  const contact = yield* sealContact(input)
  yield* operate(accounts, streamOf.account(accountId), { _tag: "RegisterAccount", accountId, contact }, operation)
  return accountId
})

/** Registers an owner of services; it can do nothing until it is verified. */
export const createAccount = Effect.fn("accounts.createAccount")(function* (input: NewAccount, operation: Operation) {
  const accountId = yield* appendAccount(input, operation)
  return yield* shown(find(accountId), () => new AccountNotFound())
})

/** Verifies, bans or unbans an account. */
export const changeAccount = Effect.fn("accounts.changeAccount")(function* (
  id: string,
  command: Exclude<AccountCommand, { readonly _tag: "RegisterAccount" }>,
  operation: Operation
) {
  yield* operate(accounts, streamOf.account(id), command, operation)
  return yield* shown(find(id), () => new AccountNotFound())
})
