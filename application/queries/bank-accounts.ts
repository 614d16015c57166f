import { Context, type Effect } from "effect"
import type { ReceivingAccount } from "../../domain/slip/matching.ts"
import type { ReadModelsError } from "../ports/read-models.ts"

/** The receiving accounts of branches. */
export class BankAccounts extends Context.Service<BankAccounts, {
  /** The active accounts that a branch is linked to, in the order in which they were linked. */
  readonly activeOf: (branchId: string) => Effect.Effect<ReadonlyArray<BankAccountView>, ReadModelsError>
}>()("sliptrail/application/BankAccounts") {}

/** A receiving account of a service (contract, "Bank accounts"). */
export interface BankAccountView extends ReceivingAccount {
  readonly type: "PERSONAL" | "JURISTIC" | null
  readonly isActive: boolean
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly updatedAt: string
}
