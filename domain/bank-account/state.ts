import type { HashMap } from "effect"
import type { BankAccountContent } from "./fields.ts"
import type { Link, MovedFrom } from "./links.ts"

/** An account, folded from the stream of its number. */
export interface BankAccount extends BankAccountContent {
  readonly accountId: string
  readonly serviceId: string
  /** The branch of the registration. */
  readonly branchId: string
  readonly bankCode: string
  readonly links: ReadonlyArray<Link>
  readonly createdAt: string
  readonly updatedAt: string
  /** Revision of the event with which the account took the number. */
  readonly revision: number
  /** The old number; null when the account was registered with this number. */
  readonly movedFrom: Pick<typeof MovedFrom.Type, "digest" | "revision"> | null
}

/** An account that had the number before. `revision` is the revision of the event with which it moved away. */
export type FormerAccount =
  | { readonly _tag: "Deactivated"; readonly account: BankAccount }
  | { readonly _tag: "Moved"; readonly toDigest: string; readonly toRevision: number; readonly revision: number }

export interface BankAccountState {
  /** Revision of the last event; -1 before the first. */
  readonly revision: number
  /** The account that has the number, or claims it. */
  readonly holder: BankAccount | null
  /** Accounts that had the number, by id, and how each last left it. */
  readonly former: HashMap.HashMap<string, FormerAccount>
}
