import { Context, Effect, Layer, Schema } from "effect"
import type { Sealed } from "../../domain/sealed.ts"
import { streamOf } from "../../domain/events/streams.ts"
import {
  AccountRow,
  branchesModel,
  branchesSets,
  branchesTables,
  BranchRow,
  ServiceRow
} from "../../projections/models/branches-rows.ts"
import { branchesRow } from "../../projections/models/branches-writes.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import type { JsonObject } from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { ReadModels, type ReadModelsError } from "../../ports/read-models.ts"
import { Vault } from "../../ports/vault.ts"
import { Readiness } from "../../projections/engine/readiness.ts"
import { behind, type Page, pageOf } from "../../projections/engine/page.ts"

export interface AccountView {
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly isVerified: boolean
  readonly isBanned: boolean
  readonly createdAt: string
}

export interface BranchView {
  readonly id: string
  readonly serviceId: string
  readonly name: string
  readonly isMain: boolean
  readonly isActive: boolean
  readonly quota: number | null
  readonly ipWhitelist: ReadonlyArray<string>
  readonly webhookUrl: string | null
  readonly createdAt: string
}

export interface ServiceView {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly plan: string
  /** The main branch's: the quota that comes with the plan. */
  readonly quota: number | null
  readonly expiresAt: string | null
  readonly isActive: boolean
  readonly isBanned: boolean
  readonly isDeleted: boolean
  readonly createdAt: string
  readonly mainBranch: { readonly id: string; readonly name: string }
}

export const contactPurpose = "account-contact"
const Contact = Schema.fromJsonString(Schema.Struct({
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String)
}))

/** Seals who an account is, as it stands in the log. */
export const sealContact = Effect.fnUntraced(function* (contact: typeof Contact.Type) {
  return yield* (yield* Vault).seal(contactPurpose, JSON.stringify(contact))
})

/** Who an account is; all null when it gave nothing. A contact that no longer opens is a defect. */
export const openContact = Effect.fnUntraced(function* (sealed: Sealed | null) {
  if (sealed === null) return { name: null, email: null }
  const text = yield* (yield* Vault).open(contactPurpose, sealed)
  return yield* Schema.decodeEffect(Contact)(text)
}, Effect.orDie)

type Away = EventStoreError | ReadModelsError

/**
 * Accounts, services and branches as operators see them. Undefined stands for "there is none". A single one is read
 * from the log, as it is this very moment: what was just made is there, whether or not a projector runs. Lists come
 * from the read model.
 */
export class Directory extends Context.Service<Directory, {
  readonly account: (id: string) => Effect.Effect<AccountView | undefined, EventStoreError>
  readonly service: (id: string) => Effect.Effect<ServiceView | undefined, EventStoreError>
  readonly branch: (id: string) => Effect.Effect<BranchView | undefined, EventStoreError>
  /** Oldest first; `cursor` is one that an earlier page gave. */
  readonly services: (page: {
    readonly cursor?: string | undefined
    readonly limit: number
  }) => Effect.Effect<Page<ServiceView>, Away>
  readonly branchesOf: (serviceId: string) => Effect.Effect<ReadonlyArray<BranchView>, Away>
}>()("sliptrail/application/Directory") {
  static readonly layer = Layer.effect(Directory, Effect.suspend(() => make))
}

/** A row of a table, wherever it comes from. */
type GetRow<E> = (table: Table, id: string) => Effect.Effect<JsonObject | undefined, E>

type Table = "accounts" | "services" | "branches"

const streams: Readonly<Record<Table, (id: string) => string>> = {
  accounts: streamOf.account,
  services: streamOf.service,
  branches: streamOf.branch
}

const decodeAccount = Schema.decodeUnknownSync(AccountRow)
const decodeService = Schema.decodeUnknownSync(ServiceRow)
const decodeBranch = Schema.decodeUnknownSync(BranchRow)

const viewsOver = <E>(getRow: GetRow<E>, vault: Vault["Service"]) => {
  const branch = Effect.fnUntraced(function* (id: string) {
    const row = yield* getRow("branches", id)
    if (row === undefined) return undefined
    const { active, ...rest } = decodeBranch(row)
    const view: BranchView = { id, ...rest, isActive: active }
    return view
  })
  const service = Effect.fnUntraced(function* (id: string) {
    const row = yield* getRow("services", id)
    if (row === undefined) return undefined
    const { active, banned, deleted, mainBranchId, ...rest } = decodeService(row)
    const main = yield* branch(mainBranchId)
    const view: ServiceView = {
      id,
      ...rest,
      quota: main?.quota ?? null,
      isActive: active,
      isBanned: banned,
      isDeleted: deleted,
      mainBranch: { id: mainBranchId, name: main?.name ?? "" }
    }
    return view
  })
  const account = Effect.fnUntraced(function* (id: string) {
    const row = yield* getRow("accounts", id)
    if (row === undefined) return undefined
    const { banned, contact, createdAt, verified } = decodeAccount(row)
    const { email, name } = yield* Effect.provideService(openContact(contact), Vault, vault)
    const view: AccountView = { id, name, email, isVerified: verified, isBanned: banned, createdAt }
    return view
  })
  return { account, service, branch }
}

/** The row that the events of one stream lead to. */
const rowOfLog = (store: EventStore["Service"]): GetRow<EventStoreError> => (table, id) =>
  Effect.map(store.readStream(streams[table](id)), (events) => branchesRow(table, events))

const present = <A>(found: ReadonlyArray<A | undefined>): ReadonlyArray<A> => found.filter((one) => one !== undefined)

const make = Effect.gen(function* () {
  const models = yield* ReadModels
  const vault = yield* Vault
  const readiness = yield* Readiness
  const model = modelName(branchesModel)
  const listed = viewsOver((table, id) => models.get(model, branchesTables[table], id), vault)

  return Directory.of({
    ...viewsOver(rowOfLog(yield* EventStore), vault),
    services: Effect.fnUntraced(function* ({ cursor, limit }) {
      yield* readiness.of(model)
      const range = { ...behind(cursor), limit: limit + 1 }
      const { items, nextCursor } = pageOf(yield* models.members(model, branchesSets.services, range), limit)
      return { items: present(yield* Effect.forEach(items, ({ member }) => listed.service(member))), nextCursor }
    }),
    branchesOf: Effect.fnUntraced(function* (serviceId) {
      yield* readiness.of(model)
      const members = yield* models.members(model, branchesSets.branchesOf(serviceId))
      return present(yield* Effect.forEach(members, ({ member }) => listed.branch(member)))
    })
  })
})
