import type { SettingValues } from "../../domain/branch-settings.ts"
import { quotaMonth } from "../../domain/time.ts"
import type { QuotaLimit } from "../../ports/quota.ts"
import { quotaSets } from "../../projections/models/quota.ts"

/** What a unit of a branch is charged to. */
export interface Charge {
  /** The calendar month in Asia/Bangkok, `yyyy-MM`. */
  readonly month: string
  /** Empty when the branch is unlimited, or when the unit is held already. */
  readonly limits: ReadonlyArray<QuotaLimit>
}

/** The settings of a branch that limit its charges. */
export type BranchLimits = Pick<SettingValues, "quota">

/** The charge of a unit at a time in milliseconds since 1970. */
export const chargeAt = (at: number, branchId: string, { quota }: BranchLimits): Charge => {
  const month = quotaMonth(at)
  return { month, limits: quota === null ? [] : [{ set: quotaSets.month(branchId, month).set, limit: quota }] }
}
