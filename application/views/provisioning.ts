import { Schema } from "effect"
import { settingFields } from "../../domain/branch-settings.ts"
import { Count, Id, Time } from "./values.ts"

/** An owner of services. */
export const AccountView = Schema.Struct({
  id: Id,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  isVerified: Schema.Boolean,
  isBanned: Schema.Boolean,
  createdAt: Time
})
export type AccountView = typeof AccountView.Type

/** A branch of a service. */
export const BranchView = Schema.Struct({
  id: Id,
  serviceId: Id,
  name: Schema.String,
  isMain: Schema.Boolean,
  isActive: Schema.Boolean,
  ...settingFields,
  quota: Schema.NullOr(Count),
  createdAt: Time
})
export type BranchView = typeof BranchView.Type

/** A service with its main branch. */
export const ServiceView = Schema.Struct({
  id: Id,
  accountId: Id,
  name: Schema.String,
  plan: Schema.String,
  quota: Schema.NullOr(Count).annotate({ description: "That of the main branch." }),
  expiresAt: Schema.NullOr(Time),
  isActive: Schema.Boolean,
  isBanned: Schema.Boolean,
  isDeleted: Schema.Boolean,
  createdAt: Time,
  mainBranch: Schema.Struct({ id: Id, name: Schema.String })
})
export type ServiceView = typeof ServiceView.Type

/** The use of a quota. */
export const QuotaView = Schema.Struct({
  used: Count.annotate({ description: "In this month of Bangkok." }),
  max: Schema.NullOr(Count).annotate({ description: "Null: unlimited." }),
  remaining: Schema.NullOr(Count),
  totalUsed: Count
}).annotate({ identifier: "Quota" })
export type QuotaView = typeof QuotaView.Type
