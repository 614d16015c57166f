import { Effect, Schema } from "effect"
import type { AccountEvent } from "../../domain/account.ts"
import { Scope } from "../../domain/api-key.ts"
import { limitsOf } from "../../domain/branch-keys.ts"
import type { BranchEvent } from "../../domain/branch.ts"
import { initialSettings, isSettingEvent, settingFields, settingOf } from "../../domain/branch-settings.ts"
import { accounts, branches, keyUses, services } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { Sealed } from "../../domain/sealed.ts"
import type { ServiceEvent } from "../../domain/service.ts"
import { Policy } from "../../domain/slip/conditions.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"

/**
 * The read model `branches`: API-key digest → branch → service → account. Authentication and the operators' lists read
 * it.
 */
export const branchesModel = { name: "branches", version: 4 } as const

export const BranchRow = Schema.Struct({
  serviceId: Schema.String,
  name: Schema.String,
  isMain: Schema.Boolean,
  active: Schema.Boolean,
  ...settingFields,
  policy: Schema.NullOr(Policy),
  createdAt: Schema.String
})
export type BranchRow = typeof BranchRow.Type

export const ServiceRow = Schema.Struct({
  accountId: Schema.String,
  mainBranchId: Schema.String,
  name: Schema.String,
  plan: Schema.String,
  expiresAt: Schema.NullOr(Schema.String),
  active: Schema.Boolean,
  banned: Schema.Boolean,
  deleted: Schema.Boolean,
  createdAt: Schema.String
})
export type ServiceRow = typeof ServiceRow.Type

export const AccountRow = Schema.Struct({
  contact: Schema.NullOr(Sealed),
  verified: Schema.Boolean,
  banned: Schema.Boolean,
  createdAt: Schema.String
})
export type AccountRow = typeof AccountRow.Type

export const KeyRow = Schema.Struct({
  branchId: Schema.String,
  /** Null for the default key of the branch, and for the ones that it replaced. */
  name: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Scope),
  expiresAt: Schema.NullOr(Schema.String),
  networks: Schema.NullOr(Schema.Array(Schema.String)),
  /** A day in UTC, `yyyy-MM-dd`. */
  lastUsedOn: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  replaced: Schema.Boolean,
  revoked: Schema.Boolean
})
export type KeyRow = typeof KeyRow.Type

/** By the digest of an API key. A revoked key stays, so that no other branch gets it. */
export const keyRows = new Table(branchesModel, "keys", KeyRow)
export const branchRows = new Table(branchesModel, "branches", BranchRow)
export const serviceRows = new Table(branchesModel, "services", ServiceRow)
export const accountRows = new Table(branchesModel, "accounts", AccountRow)

/** Scored by the time of creation in milliseconds. */
export const branchSets = {
  services: new OrderedSet(branchesModel, "services"),
  ofService: (serviceId: string) => new OrderedSet(branchesModel, `branches:${serviceId}`),
  /** The digests of a branch's keys, also of revoked ones. */
  keysOf: (branchId: string) => new OrderedSet(branchesModel, `keys:${branchId}`)
} as const

/** A branch with its service and account. */
export interface BranchOwner {
  readonly branchId: string
  readonly branch: BranchRow
  readonly serviceId: string
  readonly service: ServiceRow
  readonly account: AccountRow
}

/** An API key with its branch, service and account. */
export interface KeyOwner extends BranchOwner {
  readonly key: KeyRow
}

/** The owner of a branch; undefined when a part of it is missing. */
export const ownerOfBranch = Effect.fnUntraced(function* (branchId: string) {
  const branch = yield* branchRows.get(branchId)
  const service = branch && (yield* serviceRows.get(branch.serviceId))
  const account = service && (yield* accountRows.get(service.accountId))
  if (branch === undefined || service === undefined || account === undefined) return undefined
  return { branchId, branch, serviceId: branch.serviceId, service, account } satisfies BranchOwner
})

/** The owner of a key; undefined when the key was revoked. */
export const ownerOfKey = Effect.fnUntraced(function* (keyDigest: string) {
  const key = yield* keyRows.get(keyDigest)
  if (key === undefined || key.revoked) return undefined
  const branchOwner = yield* ownerOfBranch(key.branchId)
  if (branchOwner === undefined) return undefined
  return { ...branchOwner, key } satisfies KeyOwner
})

/**
 * What an event of an account, a service, a branch or an API key writes. The projection applies it to the model. `Table.fold`
 * applies it to the events of one stream, for the row as it is in the log now.
 */
export const branchesWrites = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { metadata: { at }, stream } = recorded
  const id = stream.slice(stream.indexOf("-") + 1)
  if (stream.startsWith("account-")) return ofAccount(id, decoded(accounts, recorded), at)
  if (stream.startsWith("service-")) return ofService(id, decoded(services, recorded), at)
  if (stream.startsWith("keyUse-")) {
    const { day, keyDigest } = decoded(keyUses, recorded)
    return [keyRows.set(keyDigest, { lastUsedOn: day })]
  }
  return ofBranch(id, decoded(branches, recorded), at)
}

const ofAccount = (id: string, event: AccountEvent, at: string): ReadonlyArray<Write> => {
  switch (event._tag) {
    case "AccountRegistered":
      return [accountRows.set(id, { contact: event.contact, verified: false, banned: false, createdAt: at })]
    case "AccountVerified":
      return [accountRows.set(id, { verified: true })]
    case "AccountBanned":
      return [accountRows.set(id, { banned: true })]
    case "AccountUnbanned":
      return [accountRows.set(id, { banned: false })]
    case "AccountContactResealed":
      return [accountRows.set(id, { contact: event.contact })]
  }
}

const ofService = (id: string, event: ServiceEvent, at: string): ReadonlyArray<Write> => {
  switch (event._tag) {
    case "ServiceCreated": {
      const { accountId, mainBranchId, name, plan } = event
      const created = { active: true, banned: false, deleted: false, expiresAt: null, createdAt: at }
      return [
        serviceRows.set(id, { accountId, mainBranchId, name, plan, ...created }),
        branchSets.services.add(id, at)
      ]
    }
    case "ServiceRenamed":
      return [serviceRows.set(id, { name: event.name })]
    case "ServicePlanChanged":
      return [serviceRows.set(id, { plan: event.plan })]
    case "ServiceExpirySet":
      return [serviceRows.set(id, { expiresAt: event.expiresAt })]
    case "ServiceDeactivated":
      return [serviceRows.set(id, { active: false })]
    case "ServiceActivated":
      return [serviceRows.set(id, { active: true })]
    case "ServiceBanned":
      return [serviceRows.set(id, { banned: true })]
    case "ServiceUnbanned":
      return [serviceRows.set(id, { banned: false })]
    case "ServiceDeleted":
      return [serviceRows.set(id, { deleted: true })]
  }
}

const ofBranch = (id: string, event: BranchEvent, at: string): ReadonlyArray<Write> => {
  if (isSettingEvent(event)) return [branchRows.set(id, settingOf(event))]
  switch (event._tag) {
    case "BranchCreated": {
      const { isMain, name, serviceId } = event
      const created = { active: true, ...initialSettings, policy: null, createdAt: at }
      return [
        branchRows.set(id, { serviceId, name, isMain, ...created }),
        branchSets.ofService(serviceId).add(id, at)
      ]
    }
    case "BranchRenamed":
      return [branchRows.set(id, { name: event.name })]
    case "ApiKeyIssued": {
      const { keyDigest, name = null } = event
      const issued = { lastUsedOn: null, createdAt: at, replaced: false, revoked: false }
      return [
        keyRows.set(keyDigest, { branchId: id, name, ...limitsOf(event), ...issued }),
        branchSets.keysOf(id).add(keyDigest, at)
      ]
    }
    case "ApiKeyRevoked":
      return [keyRows.set(event.keyDigest, { revoked: true })]
    case "ApiKeyExpirySet":
      return [keyRows.set(event.keyDigest, { expiresAt: event.expiresAt, replaced: true })]
    case "WebhookSecretRotated":
    case "WebhookSecretResealed":
      return []
    case "BranchDeactivated":
      return [branchRows.set(id, { active: false })]
    case "BranchActivated":
      return [branchRows.set(id, { active: true })]
    case "PolicySet": {
      const { conditions, version } = event
      return [branchRows.set(id, { policy: { version, conditions } })]
    }
    case "PolicyRemoved":
      return [branchRows.set(id, { policy: null })]
  }
}

export const branchesProjection: Projection = {
  ...branchesModel,
  streams: ["account-", "service-", "branch-", "keyUse-"],
  isFirst: true,
  when: branchesWrites
}
