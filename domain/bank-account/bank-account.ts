import { HashMap, Option, Result, Schema } from "effect"
import { type Complete, type Decider, eventsOf } from "../decider.ts"
import { type BankAccountContent, contentFields, contentOf, isSameContent } from "./fields.ts"
import { isLinked, mayChange, MovedFrom } from "./links.ts"
import type { BankAccount, BankAccountState, FormerAccount } from "./state.ts"
import type { Actor } from "../actor.ts"
import { Sealed } from "../sealed.ts"

/**
 * An account number within one service, and the accounts that have had it. Its stream, `bankAccount-{service}-{digest
 * of bank and number}`, ensures that one active account has the number at a time (docs/spec/http.md, "Bank accounts").
 *
 * An account that changes its number moves to another stream in two steps. First it claims the new number:
 * `BankAccountRegistered` with `movedFrom`, which names the last revision of the old stream. Then it leaves the old
 * number: `BankAccountMoved` in the old stream, which names the claim. That event must have the next revision of the
 * old stream; otherwise the move can never complete. So both streams always say which number the account has, also
 * after a crash between the steps. All times in this file are ISO 8601, UTC.
 */
const eventFields = { accountId: Schema.String, at: Schema.String }

// These names are the storage format: add, never edit.
export const BankAccountEvent = Schema.TaggedUnion({
  BankAccountRegistered: {
    ...eventFields,
    serviceId: Schema.String,
    /** The branch that the account is linked to at first. A claim repeats it. */
    branchId: Schema.String,
    bankCode: Schema.String,
    ...contentFields,
    /** Null for a new account. Otherwise this event is a claim, and the account keeps the links in `movedFrom`. */
    movedFrom: Schema.NullOr(MovedFrom)
  },
  BankAccountChanged: { ...eventFields, ...contentFields },
  BankAccountLinked: { ...eventFields, branchId: Schema.String },
  BankAccountUnlinked: { ...eventFields, branchId: Schema.String },
  BankAccountDeactivated: {
    ...eventFields,
    /** Why the number is free again: the account was deactivated, or its claim was given up. */
    reason: Schema.Literals(["deactivated", "move-abandoned"]),
    /** The linked branches. */
    branchIds: Schema.Array(Schema.String)
  },
  /** From here on the account has the other number and this content. `toRevision` is the revision of its claim. */
  BankAccountMoved: {
    ...eventFields,
    toDigest: Schema.String,
    toRevision: Schema.Int,
    bankCode: Schema.String,
    ...contentFields
  },
  /** A move that was decided before this event can no longer complete. */
  BankAccountMoveRefused: { ...eventFields, toDigest: Schema.String },
  /** The same details, sealed anew: of the account that has the number, or of one that was deactivated. */
  BankAccountResealed: { ...eventFields, details: Sealed }
})
export type BankAccountEvent = typeof BankAccountEvent.Type
export type BankAccountRegistered = Extract<BankAccountEvent, { readonly _tag: "BankAccountRegistered" }>

/** The account with this id, if it has the number or claims it. */
export const heldBy = ({ holder }: BankAccountState, accountId: string): BankAccount | undefined =>
  holder?.accountId === accountId ? holder : undefined

export const formerOf = ({ former }: BankAccountState, accountId: string): FormerAccount | undefined =>
  Option.getOrUndefined(HashMap.get(former, accountId))

const accountFrom = (event: BankAccountRegistered, revision: number): BankAccount => {
  const { accountId, at, bankCode, branchId, movedFrom, serviceId } = event
  return {
    accountId,
    serviceId,
    branchId,
    bankCode,
    ...contentOf(event),
    links: movedFrom?.links ?? [{ branchId, at }],
    createdAt: movedFrom?.createdAt ?? at,
    updatedAt: at,
    revision,
    movedFrom: movedFrom && { digest: movedFrom.digest, revision: movedFrom.revision }
  }
}

const updated = (holder: BankAccount, event: BankAccountEvent): BankAccount => {
  switch (event._tag) {
    case "BankAccountChanged":
      return { ...holder, ...contentOf(event), updatedAt: event.at }
    case "BankAccountLinked":
      return { ...holder, links: [...holder.links, { branchId: event.branchId, at: event.at }] }
    case "BankAccountUnlinked":
      return { ...holder, links: holder.links.filter(({ branchId }) => branchId !== event.branchId) }
    default:
      return holder
  }
}

const resealed = (
  state: BankAccountState,
  { accountId, details }: Extract<BankAccountEvent, { readonly _tag: "BankAccountResealed" }>
): BankAccountState => {
  const revision = state.revision + 1
  const holder = heldBy(state, accountId)
  if (holder !== undefined) return { ...state, revision, holder: { ...holder, details } }
  const departed = formerOf(state, accountId)
  if (departed?._tag !== "Deactivated") return { ...state, revision }
  const former = { ...departed, account: { ...departed.account, details } }
  return { ...state, revision, former: HashMap.set(state.former, accountId, former) }
}

const evolve = (state: BankAccountState, event: BankAccountEvent): BankAccountState => {
  const { accountId } = event
  const { former, holder } = state
  const revision = state.revision + 1
  const withoutHolder = (departed: FormerAccount): BankAccountState => ({
    revision,
    holder: null,
    former: HashMap.set(former, accountId, departed)
  })

  if (event._tag === "BankAccountResealed") return resealed(state, event)
  if (event._tag === "BankAccountRegistered") return { revision, holder: accountFrom(event, revision), former }
  if (holder === null) return { ...state, revision }
  if (event._tag === "BankAccountMoved") {
    const { toDigest, toRevision } = event
    return withoutHolder({ _tag: "Moved", toDigest, toRevision, revision })
  }
  if (event._tag === "BankAccountDeactivated") {
    // An account whose claim was given up never had the number.
    return event.reason === "move-abandoned"
      ? { revision, holder: null, former }
      : withoutHolder({ _tag: "Deactivated", account: { ...holder, updatedAt: event.at } })
  }
  return { revision, holder: updated(holder, event), former }
}

export type RegisterBankAccount =
  & { readonly _tag: "RegisterBankAccount" }
  & Omit<Complete<BankAccountRegistered>, "_tag">

/** A change that only the owner or an operator may make. */
type OwnerAction =
  | ({ readonly _tag: "ChangeBankAccount" } & BankAccountContent)
  | { readonly _tag: "DeactivateBankAccount" }
  | ({
    readonly _tag: "MoveBankAccount"
    readonly toDigest: string
    readonly toRevision: number
    readonly bankCode: string
  } & BankAccountContent)

/** A change of an existing account. `by` is the actor that requests it. */
export type BankAccountAction =
  | OwnerAction & { readonly by: Actor }
  | { readonly _tag: "LinkBankAccount" | "UnlinkBankAccount"; readonly branchId: string }
  | { readonly _tag: "RefuseMove"; readonly toDigest: string }

/** `expectedRevision` is the revision of the stream at which the caller decided. */
type ActionCommand = BankAccountAction & {
  readonly accountId: string
  readonly expectedRevision: number
  readonly at: string
}

/** Gives up the claim that was made at `revision`. */
interface AbandonMove {
  readonly _tag: "AbandonMove"
  readonly accountId: string
  readonly revision: number
  readonly at: string
}

/** No effect unless the details still have the ciphertext `replaces`. */
interface ResealBankAccount {
  readonly _tag: "ResealBankAccount"
  readonly accountId: string
  readonly replaces: string
  readonly details: Sealed
  readonly at: string
}

export type BankAccountCommand = RegisterBankAccount | ActionCommand | AbandonMove | ResealBankAccount

/** The account does not exist, is deactivated, or belongs to another caller. */
export class BankAccountNotFound extends Schema.TaggedError<BankAccountNotFound>()("BankAccountNotFound", {}) {}

/** The branch is linked to the account and is not its owner. */
export class BankAccountNotOwned extends Schema.TaggedError<BankAccountNotOwned>()("BankAccountNotOwned", {}) {}

/** An account has the number, or has claimed it since `at`. The claim may have expired. */
export class BankAccountDuplicate extends Schema.TaggedError<BankAccountDuplicate>()("BankAccountDuplicate", {
  ...eventFields,
  revision: Schema.Int,
  movedFrom: Schema.NullOr(Schema.Struct({ digest: Schema.String, revision: Schema.Int }))
}) {}

/** The account changed or moved away after `expectedRevision`: locate it and decide again. */
export class BankAccountStale extends Schema.TaggedError<BankAccountStale>()("BankAccountStale", {}) {}

export type BankAccountRejection = BankAccountNotFound | BankAccountNotOwned | BankAccountDuplicate | BankAccountStale

const make = eventsOf(BankAccountEvent)

const isSameMove = (account: BankAccount, from: NonNullable<BankAccount["movedFrom"]>): boolean =>
  account.movedFrom?.digest === from.digest && account.movedFrom.revision === from.revision

const register = (command: RegisterBankAccount, state: BankAccountState) => {
  const { accountId, at, bankCode, branchId, movedFrom, serviceId } = command
  const own = heldBy(state, accountId)
  const isKnown = movedFrom === null
    ? own !== undefined || formerOf(state, accountId) !== undefined
    : own !== undefined && isSameMove(own, movedFrom)
  if (isKnown) return Result.succeed([])
  const { holder } = state
  if (holder !== null) {
    const { accountId, movedFrom, revision, updatedAt: at } = holder
    return Result.fail(new BankAccountDuplicate({ accountId, movedFrom, revision, at }))
  }
  const account = { accountId, at, serviceId, branchId, bankCode, ...contentOf(command), movedFrom }
  return Result.succeed([make.BankAccountRegistered(account)])
}

const abandon = ({ accountId, at, revision }: AbandonMove, state: BankAccountState) => {
  const own = heldBy(state, accountId)
  if (own === undefined || own.movedFrom === null || own.revision !== revision) return Result.succeed([])
  const abandoned = { accountId, at, reason: "move-abandoned", branchIds: [] } as const
  return Result.succeed([make.BankAccountDeactivated(abandoned)])
}

const reseal = ({ accountId, at, details, replaces }: ResealBankAccount, state: BankAccountState) => {
  const departed = formerOf(state, accountId)
  const account = heldBy(state, accountId) ?? (departed?._tag === "Deactivated" ? departed.account : undefined)
  return Result.succeed(
    account?.details.c === replaces ? [make.BankAccountResealed({ accountId, at, details })] : []
  )
}

/** Whether the state already has the effect of the command, from this command or another one. */
const isDone = (command: ActionCommand, state: BankAccountState): boolean => {
  const own = heldBy(state, command.accountId)
  const last = formerOf(state, command.accountId)
  const completedMove = last?._tag === "Moved" && last.revision === command.expectedRevision + 1 ? last : undefined
  switch (command._tag) {
    case "ChangeBankAccount":
      return own !== undefined && isSameContent(own, command)
    case "LinkBankAccount":
      return own !== undefined && isLinked(own, command.branchId)
    case "UnlinkBankAccount":
      return own !== undefined && !isLinked(own, command.branchId)
    case "DeactivateBankAccount":
      return own === undefined && last?._tag === "Deactivated"
    case "MoveBankAccount":
      return completedMove?.toDigest === command.toDigest && completedMove.toRevision === command.toRevision
    case "RefuseMove":
      return state.revision > command.expectedRevision && completedMove === undefined
  }
}

const eventOf = (command: ActionCommand, { links }: BankAccount): Complete<BankAccountEvent> => {
  const { accountId, at } = command
  const branchIds = links.map(({ branchId }) => branchId)
  switch (command._tag) {
    case "ChangeBankAccount":
      return make.BankAccountChanged({ accountId, at, ...contentOf(command) })
    case "LinkBankAccount":
      return make.BankAccountLinked({ accountId, at, branchId: command.branchId })
    case "UnlinkBankAccount":
      return make.BankAccountUnlinked({ accountId, at, branchId: command.branchId })
    case "DeactivateBankAccount":
      return make.BankAccountDeactivated({ accountId, at, reason: "deactivated", branchIds })
    case "MoveBankAccount": {
      const { bankCode, toDigest, toRevision } = command
      return make.BankAccountMoved({ accountId, at, toDigest, toRevision, bankCode, ...contentOf(command) })
    }
    case "RefuseMove":
      return make.BankAccountMoveRefused({ accountId, at, toDigest: command.toDigest })
  }
}

const decide = (
  command: BankAccountCommand,
  state: BankAccountState
): Result.Result<ReadonlyArray<Complete<BankAccountEvent>>, BankAccountRejection> => {
  if (command._tag === "RegisterBankAccount") return register(command, state)
  if (command._tag === "AbandonMove") return abandon(command, state)
  if (command._tag === "ResealBankAccount") return reseal(command, state)
  if (isDone(command, state)) return Result.succeed([])
  const own = heldBy(state, command.accountId)
  if (own !== undefined && state.revision === command.expectedRevision) {
    if ("by" in command && !mayChange(own, command.by)) return Result.fail(new BankAccountNotOwned())
    return Result.succeed([eventOf(command, own)])
  }
  const isGone = own === undefined && formerOf(state, command.accountId)?._tag !== "Moved"
  return Result.fail(isGone ? new BankAccountNotFound() : new BankAccountStale())
}

export const bankAccount: Decider<BankAccountCommand, BankAccountState, BankAccountEvent, BankAccountRejection> = {
  initialState: { revision: -1, holder: null, former: HashMap.empty() },
  evolve,
  decide,
  isTerminal: () => false
}
