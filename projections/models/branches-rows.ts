import { Schema } from "effect"
import { Sealed } from "../../domain/sealed.ts"

/**
 * The shape of the read model `branches`: who may call, for whom, under which rules. Written by the projection of the
 * same name, read by authentication and by the operators' lists.
 */
export const branchesModel = { name: "branches", version: 1 } as const

export const branchesTables = {
  /** Digest of an API key in force → the branch it belongs to. */
  keys: "keys",
  branches: "branches",
  services: "services",
  accounts: "accounts"
} as const

export const branchesSets = {
  /** Service ids, scored by the time of creation in milliseconds. */
  services: "services",
  branchesOf: (serviceId: string): string => `branches:${serviceId}`
} as const

export const KeyRow = Schema.Struct({ branchId: Schema.String })

export const BranchRow = Schema.Struct({
  serviceId: Schema.String,
  name: Schema.String,
  isMain: Schema.Boolean,
  active: Schema.Boolean,
  quota: Schema.NullOr(Schema.Int),
  ipWhitelist: Schema.Array(Schema.String),
  webhookUrl: Schema.NullOr(Schema.String),
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
