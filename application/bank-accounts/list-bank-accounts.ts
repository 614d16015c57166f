import { Context, Effect, Layer, Schema } from "effect"
import type { PersonalFields } from "../../domain/bank-account/fields.ts"
import type { Sealed } from "../../domain/sealed.ts"
import type { ReceivingAccount } from "../../domain/slip/matching.ts"
import { openDetails } from "../sealing/bank-account-sealing.ts"
import {
  BankAccountRow,
  bankAccountsModel,
  bankAccountsSets,
  bankAccountsTables
} from "../../projections/models/bank-accounts-rows.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { ReadModels, type ReadModelsError } from "../../ports/read-models.ts"
import { Vault } from "../../ports/vault.ts"
import { Readiness } from "../../projections/engine/readiness.ts"
import { behind, type Page, pageOf } from "../../projections/engine/page.ts"

/** A receiving account of a service (docs/spec/http.md, "Bank accounts"). */
export interface BankAccountView extends ReceivingAccount {
  readonly type: "PERSONAL" | "JURISTIC" | null
  readonly isActive: boolean
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly updatedAt: string
}

/** The same as operators see it. */
export interface BankAccountOfService extends BankAccountView {
  /** The branches that are linked to it, in the order in which they were. */
  readonly branchIds: ReadonlyArray<string>
}

/** Which page of a list; `cursor` is one that an earlier page gave. */
interface PageAsked {
  readonly cursor: string | undefined
  readonly limit: number
}

/** The receiving accounts of branches. */
export class BankAccounts extends Context.Service<BankAccounts, {
  /** The active accounts that a branch is linked to, in the order in which they were linked. */
  readonly activeOf: (branchId: string) => Effect.Effect<ReadonlyArray<BankAccountView>, ReadModelsError>
  /**
   * All that a branch is linked to, in the order in which they were linked; with `isActive` those alone that are in
   * use, or those that no longer are, by when they went out of use.
   */
  readonly ofBranch: (
    asked: PageAsked & {
      readonly branchId: string
      readonly isActive: boolean | undefined
    }
  ) => Effect.Effect<Page<BankAccountView>, ReadModelsError>
  /** All of a service, linked or not, in the order in which they were registered. */
  readonly ofService: (
    asked: PageAsked & {
      readonly serviceId: string
    }
  ) => Effect.Effect<Page<BankAccountOfService>, ReadModelsError>
}>()("sliptrail/application/BankAccounts") {
  static readonly layer = Layer.effect(BankAccounts, Effect.suspend(() => make))
}

const model = modelName(bankAccountsModel)
const decodeRow = Schema.decodeUnknownSync(BankAccountRow)

const setOf = (branchId: string, isActive: boolean | undefined): string => {
  if (isActive === undefined) return bankAccountsSets.ofBranch(branchId)
  return isActive ? bankAccountsSets.activeOf(branchId) : bankAccountsSets.inactiveOf(branchId)
}

/** Rows read at a time. */
const AT_A_TIME = 25

/** How many accounts are kept opened: to verify a slip should not mean to open the same accounts again and again. */
const OPENED = 10_000

/** Opens the sealed part of accounts; what was opened once is remembered by its ciphertext. */
const makeOpen = (vault: Vault["Service"]) => {
  const opened = new Map<string, PersonalFields>()
  return Effect.fnUntraced(function* (sealed: Sealed) {
    const known = opened.get(sealed.c)
    if (known !== undefined) return known
    const details = yield* Effect.provideService(openDetails(sealed), Vault, vault)
    if (opened.size >= OPENED) opened.clear()
    opened.set(sealed.c, details)
    return details
  })
}

/** The record of an account, its fields in the order of docs/spec/http.md, "Bank accounts". */
export const viewOf = (
  id: string,
  { active, bankCode, createdAt, extraVerify, type, updatedAt }: Omit<
    BankAccountRow,
    "serviceId" | "digest" | "details"
  >,
  { bankNumber, nameEn, nameTh }: PersonalFields
): BankAccountView => ({
  id,
  bankCode,
  bankNumber,
  nameTh,
  nameEn,
  type,
  extraVerify,
  isActive: active,
  createdAt,
  updatedAt
})

const make = Effect.gen(function* () {
  const models = yield* ReadModels
  const readiness = yield* Readiness
  const open = makeOpen(yield* Vault)

  const view = Effect.fnUntraced(function* (id: string) {
    const found = yield* models.get(model, bankAccountsTables.accounts, id)
    if (found === undefined) return undefined
    const row = decodeRow(found)
    return viewOf(id, row, yield* open(row.details))
  })
  const viewOfService = Effect.fnUntraced(function* (id: string) {
    const found = yield* view(id)
    if (found === undefined) return undefined
    const branches = yield* models.members(model, bankAccountsSets.branchesOf(id))
    return { ...found, branchIds: branches.map(({ member }) => member) } satisfies BankAccountOfService
  })
  const each = <A extends object>(
    members: ReadonlyArray<{ readonly member: string }>,
    find: (id: string) => Effect.Effect<A | undefined, ReadModelsError>
  ) =>
    Effect.forEach(members, ({ member }) => find(member), { concurrency: AT_A_TIME }).pipe(
      Effect.map((found) => found.filter((one) => one !== undefined))
    )

  const page = Effect.fnUntraced(function* <A extends object>(
    set: string,
    { cursor, limit }: PageAsked,
    find: (id: string) => Effect.Effect<A | undefined, ReadModelsError>
  ) {
    yield* readiness.of(model)
    const members = yield* models.members(model, set, { ...behind(cursor), limit: limit + 1 })
    const { items, nextCursor } = pageOf(members, limit)
    return { items: yield* each(items, find), nextCursor }
  })

  return BankAccounts.of({
    activeOf: Effect.fnUntraced(function* (branchId) {
      yield* readiness.of(model)
      const active = yield* each(yield* models.members(model, bankAccountsSets.activeOf(branchId)), view)
      // The two looks may fall on either side of a deactivation.
      return active.filter(({ isActive }) => isActive)
    }),
    ofBranch: ({ branchId, isActive, ...asked }) => page(setOf(branchId, isActive), asked, view),
    ofService: ({ serviceId, ...asked }) => page(bankAccountsSets.ofService(serviceId), asked, viewOfService)
  })
})
