import { Context, Effect, Layer, Schema } from "effect"
import type { Sealed } from "../../domain/sealed.ts"
import {
  AccountRow,
  BranchRow,
  branchesModel,
  branchesSets,
  branchesTables,
  ServiceRow
} from "../models/branches.ts"
import { modelName } from "../models/model-name.ts"
import type { JsonObject } from "../ports/event-store.ts"
import { type Member, ReadModels, type ReadModelsError } from "../ports/read-models.ts"
import { Vault } from "../ports/vault.ts"
import { Readiness } from "../readiness.ts"

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

/** A page of a list, and what to give as `cursor` for the next one. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

const contactPurpose = "account-contact"
const Contact = Schema.fromJsonString(Schema.Struct({
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String)
}))

/** Seals who an account is, as it stands in the log. */
export const sealContact = Effect.fnUntraced(function*(contact: typeof Contact.Type) {
  return yield* (yield* Vault).seal(contactPurpose, JSON.stringify(contact))
})

/** Who an account is; all null when it gave nothing. A contact that no longer opens is a defect. */
export const openContact = Effect.fnUntraced(function*(sealed: Sealed | null) {
  if (sealed === null) return { name: null, email: null }
  const text = yield* (yield* Vault).open(contactPurpose, sealed)
  return yield* Schema.decodeEffect(Contact)(text)
}, Effect.orDie)

const formatCursor = ({ member, score }: Member): string => `${score}.${member}`

const parseCursor = (cursor: string): Member => {
  const at = cursor.indexOf(".")
  return { score: Number(cursor.slice(0, at)), member: cursor.slice(at + 1) }
}

/** Whether a text is a cursor that a page gave. */
export const isCursor = (text: string): boolean => /^\d+\..+$/u.test(text)

/** Accounts, services and branches as operators see them. Undefined stands for "there is none". */
export class Directory extends Context.Service<Directory, {
  readonly account: (id: string) => Effect.Effect<AccountView | undefined, ReadModelsError>
  readonly service: (id: string) => Effect.Effect<ServiceView | undefined, ReadModelsError>
  readonly branch: (id: string) => Effect.Effect<BranchView | undefined, ReadModelsError>
  /** Oldest first; `cursor` is one that an earlier page gave. */
  readonly services: (page: {
    readonly cursor?: string | undefined
    readonly limit: number
  }) => Effect.Effect<Page<ServiceView>, ReadModelsError>
  readonly branchesOf: (serviceId: string) => Effect.Effect<ReadonlyArray<BranchView>, ReadModelsError>
}>()("sliptrail/application/Directory") {
  static readonly layer = Layer.effect(
    Directory,
    Effect.gen(function*() {
      const models = yield* ReadModels
      const vault = yield* Vault
      const readiness = yield* Readiness
      const model = modelName(branchesModel)

      const row = <A>(schema: Schema.Codec<A, JsonObject>, table: string) => {
        const decode = Schema.decodeUnknownSync(schema)
        return Effect.fnUntraced(function*(key: string) {
          yield* readiness.of(model)
          const found = yield* models.get(model, table, key)
          return found === undefined ? undefined : decode(found)
        })
      }
      const branchRow = row(BranchRow, branchesTables.branches)
      const serviceRow = row(ServiceRow, branchesTables.services)
      const accountRow = row(AccountRow, branchesTables.accounts)

      const branch = Effect.fnUntraced(function*(id: string) {
        const found = yield* branchRow(id)
        if (found === undefined) return undefined
        const { active, ...rest } = found
        const view: BranchView = { id, ...rest, isActive: active }
        return view
      })
      const service = Effect.fnUntraced(function*(id: string) {
        const found = yield* serviceRow(id)
        if (found === undefined) return undefined
        const main = yield* branchRow(found.mainBranchId)
        const { active, banned, deleted, mainBranchId, ...rest } = found
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
      const present = <A>(found: ReadonlyArray<A | undefined>): ReadonlyArray<A> =>
        found.filter((one) => one !== undefined)

      return Directory.of({
        branch,
        service,
        account: Effect.fnUntraced(function*(id) {
          const found = yield* accountRow(id)
          if (found === undefined) return undefined
          const { banned, contact, createdAt, verified } = found
          const { email, name } = yield* Effect.provideService(openContact(contact), Vault, vault)
          return { id, name, email, isVerified: verified, isBanned: banned, createdAt }
        }),
        services: Effect.fnUntraced(function*({ cursor, limit }) {
          yield* readiness.of(model)
          const after = cursor === undefined ? {} : { after: parseCursor(cursor) }
          const members = yield* models.members(model, branchesSets.services, { ...after, limit: limit + 1 })
          const shown = members.slice(0, limit)
          const last = shown.at(-1)
          return {
            items: present(yield* Effect.forEach(shown, ({ member }) => service(member))),
            nextCursor: members.length > limit && last !== undefined ? formatCursor(last) : null
          }
        }),
        branchesOf: Effect.fnUntraced(function*(serviceId) {
          yield* readiness.of(model)
          const members = yield* models.members(model, branchesSets.branchesOf(serviceId))
          return present(yield* Effect.forEach(members, ({ member }) => branch(member)))
        })
      })
    })
  )
}
