import { HashMap, Option, Result, Schema } from "effect"
import { type Complete, type Decider, eventsOf } from "../decider.ts"
import { type BankAccountContent, contentFields, contentOf, isSameContent } from "./fields.ts"

/**
 * A bank's number within one service, and the accounts that have had it. Its stream, `bankAccount-{service}-{digest of
 * bank and number}`, decides that one active account has it at a time (docs/spec/http.md, "Bank accounts").
 *
 * An account that changes its number moves to another stream: it takes the new number, a claim as long as the old
 * stream does not say that it has left, and then leaves the old one. The claim names the revision at which that was
 * judged. It is completed by the very next event of the old stream, which names the claim, or never: so both streams
 * tell without a doubt where the account is, whatever dies in between.
 */

/** ISO 8601, UTC; so are all times here. */
const Link = Schema.Struct({ branchId: Schema.String, at: Schema.String })

const MovedFrom = Schema.Struct({
  /** Of the number that it had. */
  digest: Schema.String,
  /** The last event of that number's stream when the move was judged. */
  revision: Schema.Int,
  /** What the account brings along. */
  createdAt: Schema.String,
  links: Schema.Array(Link)
})

const happened = { accountId: Schema.String, at: Schema.String }

// These names are the storage format: add, never edit.
export const BankAccountEvent = Schema.TaggedUnion({
  BankAccountRegistered: {
    ...happened,
    serviceId: Schema.String,
    /** Linked to it at once. */
    branchId: Schema.String,
    bankCode: Schema.String,
    ...contentFields,
    /** Null when it is new. Otherwise this is a claim, and the links are those that it brings along. */
    movedFrom: Schema.NullOr(MovedFrom)
  },
  BankAccountChanged: { ...happened, ...contentFields },
  BankAccountLinked: { ...happened, branchId: Schema.String },
  BankAccountUnlinked: { ...happened, branchId: Schema.String },
  BankAccountDeactivated: {
    ...happened,
    /** The number is free again: the account is out of use, or it never came to have it. */
    reason: Schema.Literals(["deactivated", "move-abandoned"]),
    /** The branches that it is linked to. */
    branchIds: Schema.Array(Schema.String)
  },
  /** It has the other number from here on, and this content; `toRevision` is that of its claim. */
  BankAccountMoved: {
    ...happened,
    toDigest: Schema.String,
    toRevision: Schema.Int,
    bankCode: Schema.String,
    ...contentFields
  },
  /** The move that was decided before this event was not completed and cannot be completed any more. */
  BankAccountMoveRefused: { ...happened, toDigest: Schema.String }
})
export type BankAccountEvent = typeof BankAccountEvent.Type
export type BankAccountRegistered = Extract<BankAccountEvent, { readonly _tag: "BankAccountRegistered" }>
export type Link = typeof Link.Type

/** An account as the stream of its number has it. */
export interface BankAccount extends BankAccountContent {
  readonly accountId: string
  readonly serviceId: string
  readonly bankCode: string
  readonly links: ReadonlyArray<Link>
  readonly createdAt: string
  readonly updatedAt: string
  /** Of the event with which it took the number. */
  readonly revision: number
  /** Where it came from, if it did. */
  readonly movedFrom: Pick<typeof MovedFrom.Type, "digest" | "revision"> | null
}

/** An account that had the number once. `revision` is that of the event with which it left. */
export type FormerAccount =
  | { readonly _tag: "Deactivated"; readonly account: BankAccount }
  | { readonly _tag: "Moved"; readonly toDigest: string; readonly toRevision: number; readonly revision: number }

export interface BankAccountState {
  /** Of the last event; -1 before the first. */
  readonly revision: number
  /** The account that has the number, or claims it. */
  readonly holder: BankAccount | null
  /** Those that had it, by id, and how they last left it. */
  readonly former: HashMap.HashMap<string, FormerAccount>
}

/** The account with this id, if it has the number or claims it. */
export const heldBy = ({ holder }: BankAccountState, accountId: string): BankAccount | undefined =>
  holder?.accountId === accountId ? holder : undefined

export const formerOf = ({ former }: BankAccountState, accountId: string): FormerAccount | undefined =>
  Option.getOrUndefined(HashMap.get(former, accountId))

export const isLinked = ({ links }: BankAccount, branchId: string): boolean =>
  links.some((link) => link.branchId === branchId)

const registered = (event: BankAccountRegistered, revision: number): BankAccount => {
  const { accountId, at, bankCode, branchId, movedFrom, serviceId } = event
  return {
    accountId,
    serviceId,
    bankCode,
    ...contentOf(event),
    links: movedFrom?.links ?? [{ branchId, at }],
    createdAt: movedFrom?.createdAt ?? at,
    updatedAt: at,
    revision,
    movedFrom: movedFrom && { digest: movedFrom.digest, revision: movedFrom.revision }
  }
}

const held = (holder: BankAccount, event: BankAccountEvent): BankAccount => {
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

const evolve = (state: BankAccountState, event: BankAccountEvent): BankAccountState => {
  const { accountId } = event
  const { former, holder } = state
  const revision = state.revision + 1
  const left = (how: FormerAccount): BankAccountState => ({
    revision,
    holder: null,
    former: HashMap.set(former, accountId, how)
  })

  if (event._tag === "BankAccountRegistered") return { revision, holder: registered(event, revision), former }
  if (holder === null) return { ...state, revision }
  if (event._tag === "BankAccountMoved") {
    const { toDigest, toRevision } = event
    return left({ _tag: "Moved", toDigest, toRevision, revision })
  }
  if (event._tag === "BankAccountDeactivated") {
    // A claim that came to nothing is no account that was here.
    return event.reason === "move-abandoned"
      ? { revision, holder: null, former }
      : left({ _tag: "Deactivated", account: { ...holder, updatedAt: event.at } })
  }
  return { revision, holder: held(holder, event), former }
}

export type RegisterBankAccount =
  & { readonly _tag: "RegisterBankAccount" }
  & Omit<Complete<BankAccountRegistered>, "_tag">

/** What is to be done to an account that is there. */
export type BankAccountAction =
  | ({ readonly _tag: "ChangeBankAccount" } & BankAccountContent)
  | { readonly _tag: "LinkBankAccount" | "UnlinkBankAccount"; readonly branchId: string }
  | { readonly _tag: "DeactivateBankAccount" }
  | ({
    readonly _tag: "MoveBankAccount"
    readonly toDigest: string
    readonly toRevision: number
    readonly bankCode: string
  } & BankAccountContent)
  | { readonly _tag: "RefuseMove"; readonly toDigest: string }

/** `judged` is the revision of the stream that the decision rests on. */
type ActionCommand = BankAccountAction & {
  readonly accountId: string
  readonly expectedRevision: number
  readonly at: string
}

/** Gives up the claim that was made at that revision. */
interface AbandonMove {
  readonly _tag: "AbandonMove"
  readonly accountId: string
  readonly revision: number
  readonly at: string
}

export type BankAccountCommand = RegisterBankAccount | ActionCommand | AbandonMove

/** No such account, or it is out of use, or it is none of the caller's. */
export class BankAccountNotFound extends Schema.TaggedError<BankAccountNotFound>()("BankAccountNotFound", {}) {}

/** An account has the number, or claims it since then; the claim may have expired. */
export class BankAccountDuplicate extends Schema.TaggedError<BankAccountDuplicate>()("BankAccountDuplicate", {
  ...happened,
  revision: Schema.Int,
  movedFrom: Schema.NullOr(Schema.Struct({ digest: Schema.String, revision: Schema.Int }))
}) {}

/** The account is no longer as it was judged to be, or here no longer: look at it again. */
export class BankAccountStale extends Schema.TaggedError<BankAccountStale>()("BankAccountStale", {}) {}

export type BankAccountRejection = BankAccountNotFound | BankAccountDuplicate | BankAccountStale

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
  return Result.succeed([
    make.BankAccountDeactivated({ accountId, at, reason: "move-abandoned", branchIds: [] })
  ])
}

/** Whether what a command asks for has come about already, by this command or another one. */
const isDone = (command: ActionCommand, state: BankAccountState): boolean => {
  const own = heldBy(state, command.accountId)
  const last = formerOf(state, command.accountId)
  const leftThen = last?._tag === "Moved" && last.revision === command.expectedRevision + 1 ? last : undefined
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
      return leftThen?.toDigest === command.toDigest && leftThen.toRevision === command.toRevision
    case "RefuseMove":
      return state.revision > command.expectedRevision && leftThen === undefined
  }
}

const eventOf = (command: ActionCommand, { links }: BankAccount): Complete<BankAccountEvent> => {
  const { accountId, at } = command
  switch (command._tag) {
    case "ChangeBankAccount":
      return make.BankAccountChanged({ accountId, at, ...contentOf(command) })
    case "LinkBankAccount":
      return make.BankAccountLinked({ accountId, at, branchId: command.branchId })
    case "UnlinkBankAccount":
      return make.BankAccountUnlinked({ accountId, at, branchId: command.branchId })
    case "DeactivateBankAccount": {
      const branchIds = links.map(({ branchId }) => branchId)
      return make.BankAccountDeactivated({ accountId, at, reason: "deactivated", branchIds })
    }
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
  if (isDone(command, state)) return Result.succeed([])
  const own = heldBy(state, command.accountId)
  if (own !== undefined && state.revision === command.expectedRevision) return Result.succeed([eventOf(command, own)])
  const isGone = own === undefined && formerOf(state, command.accountId)?._tag !== "Moved"
  return Result.fail(isGone ? new BankAccountNotFound() : new BankAccountStale())
}

export const bankAccount: Decider<BankAccountCommand, BankAccountState, BankAccountEvent, BankAccountRejection> = {
  initialState: { revision: -1, holder: null, former: HashMap.empty() },
  evolve,
  decide,
  isTerminal: () => false
}
