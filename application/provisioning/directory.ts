import type { AccountView, BranchView, ServiceView } from "../views/provisioning.ts"
import { Context, Effect, Layer, Schema } from "effect"
import type { Sealed } from "../../domain/sealed.ts"
import type { Policy } from "../../domain/slip/conditions.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import {
  accountRows,
  branchesModel,
  branchesWrites,
  branchRows,
  branchSets,
  serviceRows
} from "../../projections/models/branches.ts"
import type { JsonObject } from "../../domain/events/recorded-event.ts"
import type { Table } from "../../projections/engine/read-model.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import type { ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import type { Vault } from "../../ports/vault.ts"
import { openPlaced, sealFor } from "../sealing/sealed-data.ts"
import { placedRow } from "../sealing/sealed-rows.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { type Page, pageOfAll, type PageQuery } from "../../projections/engine/page.ts"

export const contactPurpose = "account-contact"
const Contact = Schema.fromJsonString(Schema.Struct({
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String)
}))

/** Seals the contact of an account, in the form of the log. */
export const sealContact = (contact: typeof Contact.Type, accountId: string) =>
  sealFor(contactPurpose, JSON.stringify(contact), { record: streamOf.account(accountId), subject: undefined })

/** Opens the contact of an account's events. A contact that cannot be opened is a defect. */
export const openContact = (sealed: Sealed) =>
  Effect.orDie(Effect.flatMap(openPlaced(contactPurpose, sealed), Schema.decodeEffect(Contact)))

/** The contact in the row of an account; all fields are null without one. */
export const contactOfRow = Effect.fnUntraced(function* (sealed: Sealed | null, accountId: string) {
  if (sealed === null) return { name: null, email: null }
  const stream = streamOf.account(accountId)
  return yield* openContact(yield* placedRow(sealed, stream, stream))
})

type Unavailable = EventStoreError | ReadModelsError

/**
 * Accounts, services and branches, for operators. A single one is read from the log, so it is current even without a
 * projector; undefined means that there is none. Lists are read from the read model.
 */
export class Directory extends Context.Service<Directory, {
  readonly account: (id: string) => Effect.Effect<AccountView | undefined, EventStoreError>
  readonly service: (id: string) => Effect.Effect<ServiceView | undefined, EventStoreError>
  readonly branch: (id: string) => Effect.Effect<BranchView | undefined, EventStoreError>
  /** The policy of a branch; null without one, undefined when there is no such branch. */
  readonly policy: (branchId: string) => Effect.Effect<Policy | null | undefined, EventStoreError>
  /** Oldest first. */
  readonly services: (page: PageQuery) => Effect.Effect<Page<ServiceView>, Unavailable>
  readonly branchesOf: (serviceId: string) => Effect.Effect<ReadonlyArray<BranchView>, Unavailable>
}>()("sliptrail/application/Directory") {
  static readonly layer = Layer.effect(Directory, Effect.suspend(() => make))
}

/** Reads a row, from the read model or from the log. */
type GetRow<E, R> = <Row extends JsonObject>(table: Table<Row>, id: string) => Effect.Effect<Row | undefined, E, R>

const viewsOver = <E, R>(getRow: GetRow<E, R>) => {
  const branch = Effect.fnUntraced(function* (id: string) {
    const row = yield* getRow(branchRows, id)
    if (row === undefined) return undefined
    const { active, policy: _, ...rest } = row
    return { id, ...rest, isActive: active } satisfies BranchView
  })
  const service = Effect.fnUntraced(function* (id: string) {
    const row = yield* getRow(serviceRows, id)
    if (row === undefined) return undefined
    const { active, banned, deleted, mainBranchId, ...rest } = row
    const main = yield* branch(mainBranchId)
    return {
      id,
      ...rest,
      quota: main?.quota ?? null,
      isActive: active,
      isBanned: banned,
      isDeleted: deleted,
      mainBranch: { id: mainBranchId, name: main?.name ?? "" }
    } satisfies ServiceView
  })
  const account = Effect.fnUntraced(function* (id: string) {
    const row = yield* getRow(accountRows, id)
    if (row === undefined) return undefined
    const { banned, contact, createdAt, verified } = row
    const { email, name } = yield* contactOfRow(contact, id)
    return { id, name, email, isVerified: verified, isBanned: banned, createdAt } satisfies AccountView
  })
  const policy = (branchId: string) => Effect.map(getRow(branchRows, branchId), (row) => row?.policy)
  return { account, service, branch, policy }
}

const streams: Readonly<Record<string, (id: string) => string>> = {
  [accountRows.name]: streamOf.account,
  [serviceRows.name]: streamOf.service,
  [branchRows.name]: streamOf.branch
}

const present = <A>(found: ReadonlyArray<A | undefined>): ReadonlyArray<A> => found.filter((view) => view !== undefined)

const make = Effect.gen(function* () {
  const context = yield* Effect.context<EventStore | ReadModels | Vault>()
  const provide = Effect.provideContext(context)
  const listed = viewsOver((table, id) => table.get(id))
  const logged = viewsOver((table, id) =>
    EventStore.use((store) =>
      Effect.map(
        store.readStream(streams[table.name]?.(id) ?? ""),
        (events) => table.fold(events.flatMap(branchesWrites))
      )
    )
  )

  return Directory.of({
    account: (id) => provide(logged.account(id)),
    service: (id) => provide(logged.service(id)),
    branch: (id) => provide(logged.branch(id)),
    policy: (branchId) => provide(logged.policy(branchId)),
    services: Effect.fnUntraced(function* (page) {
      yield* whenReady(branchesModel)
      const { items, nextCursor } = yield* pageOfAll([branchSets.services], page)
      return { items: present(yield* Effect.forEach(items, listed.service)), nextCursor }
    }, provide),
    branchesOf: Effect.fnUntraced(function* (serviceId) {
      yield* whenReady(branchesModel)
      return present(yield* Effect.forEach(yield* branchSets.ofService(serviceId).names(), listed.branch))
    }, provide)
  })
})
