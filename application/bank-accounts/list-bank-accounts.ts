import type { BankAccountView } from "../views/bank-account.ts"
import { Context, Effect, Layer } from "effect"
import { fieldsOf, type PersonalFields } from "../../domain/bank-account/fields.ts"
import { CappedMap } from "../../domain/capped-map.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import { recordOfBankAccount } from "../../domain/events/sealed-record.ts"
import { openDetails } from "../sealing/sealed-data.ts"
import { placedRow } from "../sealing/sealed-rows.ts"
import {
  type BankAccountRow,
  bankAccountRows,
  bankAccountSets,
  bankAccountsModel
} from "../../projections/models/bank-accounts.ts"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import type { EventStore, EventStoreError } from "../../ports/event-store.ts"
import type { ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import { Vault } from "../../ports/vault.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { type Page, pageOfAll, type PageQuery, readItems } from "../../projections/engine/page.ts"

/** A receiving account, for operators. */
export interface BankAccountOfService extends BankAccountView {
  /** The linked branches, in the order of their links. */
  readonly branchIds: ReadonlyArray<string>
}

interface BranchQuery extends PageQuery {
  readonly branchId: string
  readonly isActive: boolean | undefined
}

/** Only accounts from before values were bound to records need the log. */
type Unavailable = EventStoreError | ReadModelsError

/** The receiving accounts of branches. */
export class BankAccounts extends Context.Service<BankAccounts, {
  /** The active accounts of a branch, in the order of their links. */
  readonly activeOf: (branchId: string) => Effect.Effect<ReadonlyArray<BankAccountView>, Unavailable>
  /**
   * A page of the accounts of a branch, in the order of their links. `isActive` selects the active or the inactive
   * accounts; inactive ones are in the order of their deactivation.
   */
  readonly ofBranch: (query: BranchQuery) => Effect.Effect<Page<BankAccountView>, Unavailable>
  /** `ofBranch` for operators. */
  readonly ofBranchWithLinks: (query: BranchQuery) => Effect.Effect<Page<BankAccountOfService>, Unavailable>
  /** A page of the accounts of a service, linked or not, in the order of their registration. */
  readonly ofService: (
    query: PageQuery & {
      readonly serviceId: string
    }
  ) => Effect.Effect<Page<BankAccountOfService>, Unavailable>
}>()("sliptrail/application/BankAccounts") {
  static readonly layer = Layer.effect(BankAccounts, Effect.suspend(() => make))
}

const setOf = (branchId: string, isActive: boolean | undefined) => {
  if (isActive === undefined) return bankAccountSets.ofBranch(branchId)
  return isActive ? bankAccountSets.activeOf(branchId) : bankAccountSets.inactiveOf(branchId)
}

/** Rows that are read concurrently. */
const CONCURRENT_READS = 25

const MAX_OPENED = 10_000

/**
 * Opens the sealed fields of accounts. Caches them by record and ciphertext: every verification needs the same accounts.
 */
const makeOpen = (vault: Vault["Service"]) => {
  const opened = new CappedMap<string, PersonalFields>(MAX_OPENED)
  return Effect.fnUntraced(function* (id: string, { details: sealed, digest, serviceId }: BankAccountRow) {
    const record = recordOfBankAccount(serviceId, id)
    const known = opened.get(record + sealed.c)
    if (known !== undefined) return known
    const placed = yield* placedRow(sealed, record, streamOf.bankAccount(serviceId, digest))
    const details = yield* Effect.provideService(openDetails(placed), Vault, vault)
    opened.set(record + sealed.c, details)
    return details
  })
}

/** The view of an account; its fields have the order of docs/spec/http.md, "Bank accounts". */
export const viewOf = (
  id: string,
  row: Omit<BankAccountRow, "serviceId" | "digest" | "details">,
  personal: PersonalFields
): BankAccountView => {
  const { merchantId, ref1, ...fields } = fieldsOf({ ...row, ...personal })
  return {
    id,
    ...fields,
    ...(ref1 === null ? {} : { ref1 }),
    ...(merchantId === null ? {} : { merchantId }),
    isActive: row.active,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt
  }
}

const make = Effect.gen(function* () {
  const context = yield* Effect.context<ReadModels | EventStore>()
  const provide = Effect.provideContext(context)
  const open = makeOpen(yield* Vault)

  const view = Effect.fnUntraced(function* (id: string) {
    const row = yield* bankAccountRows.get(id)
    return row && viewOf(id, row, yield* open(id, row))
  })
  const viewOfService = Effect.fnUntraced(function* (id: string) {
    const found = yield* view(id)
    if (found === undefined) return undefined
    return { ...found, branchIds: yield* bankAccountSets.branchesOf(id).names() } satisfies BankAccountOfService
  })
  const page = Effect.fnUntraced(function* <A extends object>(
    set: OrderedSet,
    query: PageQuery,
    find: (id: string) => Effect.Effect<A | undefined, Unavailable, ReadModels | EventStore>
  ) {
    yield* whenReady(bankAccountsModel)
    const { items, nextCursor } = yield* pageOfAll([set], query)
    return { items: yield* readItems(items, find), nextCursor }
  })

  return BankAccounts.of({
    activeOf: Effect.fnUntraced(function* (branchId) {
      yield* whenReady(bankAccountsModel)
      const ids = yield* bankAccountSets.activeOf(branchId).names()
      const found = yield* Effect.forEach(ids, view, { concurrency: CONCURRENT_READS })
      // An account may be deactivated between the read of the set and that of its row.
      return found.filter((account) => account !== undefined).filter(({ isActive }) => isActive)
    }, provide),
    ofBranch: ({ branchId, isActive, ...query }) => provide(page(setOf(branchId, isActive), query, view)),
    ofBranchWithLinks: ({ branchId, isActive, ...query }) =>
      provide(page(setOf(branchId, isActive), query, viewOfService)),
    ofService: ({ serviceId, ...query }) => provide(page(bankAccountSets.ofService(serviceId), query, viewOfService))
  })
})
