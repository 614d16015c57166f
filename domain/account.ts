import { Result, Schema } from "effect"
import { type Decider, eventsOf } from "./decider.ts"
import { Sealed } from "./sealed.ts"

/** An account owns services. Its stream is `account-{id}`. */

// These names are the storage format: add, never edit.
export const AccountEvent = Schema.TaggedUnion({
  AccountRegistered: { accountId: Schema.String, contact: Schema.NullOr(Sealed) },
  AccountVerified: {},
  AccountBanned: { reason: Schema.NullOr(Schema.String) },
  AccountUnbanned: {},
  /** The same contact, sealed anew. */
  AccountContactResealed: { contact: Sealed }
})
export type AccountEvent = typeof AccountEvent.Type

export interface AccountState {
  readonly registered: boolean
  readonly verified: boolean
  readonly banned: boolean
  readonly contact: Sealed | null
}

const evolve = (state: AccountState, event: AccountEvent): AccountState => {
  switch (event._tag) {
    case "AccountRegistered":
      return { ...state, registered: true, contact: event.contact }
    case "AccountVerified":
      return { ...state, verified: true }
    case "AccountBanned":
      return { ...state, banned: true }
    case "AccountUnbanned":
      return { ...state, banned: false }
    case "AccountContactResealed":
      return { ...state, contact: event.contact }
  }
}

export type AccountCommand =
  | { readonly _tag: "RegisterAccount"; readonly accountId: string; readonly contact: Sealed | null }
  | { readonly _tag: "VerifyAccount" }
  | { readonly _tag: "BanAccount"; readonly reason: string | null }
  | { readonly _tag: "UnbanAccount" }
  /** No effect unless the contact still has the ciphertext `replaces`. */
  | { readonly _tag: "ResealContact"; readonly replaces: string; readonly contact: Sealed }

export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {}) {}

const make = eventsOf(AccountEvent)

const decide = (
  command: AccountCommand,
  state: AccountState
): Result.Result<ReadonlyArray<AccountEvent>, AccountNotFound> => {
  if (command._tag === "RegisterAccount") {
    const { accountId, contact } = command
    return Result.succeed(state.registered ? [] : [make.AccountRegistered({ accountId, contact })])
  }
  if (!state.registered) return Result.fail(new AccountNotFound())
  switch (command._tag) {
    case "VerifyAccount":
      return Result.succeed(state.verified ? [] : [make.AccountVerified({})])
    case "BanAccount":
      return Result.succeed(state.banned ? [] : [make.AccountBanned({ reason: command.reason })])
    case "UnbanAccount":
      return Result.succeed(state.banned ? [make.AccountUnbanned({})] : [])
    case "ResealContact": {
      const { contact, replaces } = command
      return Result.succeed(state.contact?.c === replaces ? [make.AccountContactResealed({ contact })] : [])
    }
  }
}

export const account: Decider<AccountCommand, AccountState, AccountEvent, AccountNotFound> = {
  initialState: { registered: false, verified: false, banned: false, contact: null },
  evolve,
  decide,
  isTerminal: () => false
}
