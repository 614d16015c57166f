import { Schema } from "effect"

/** A branch that may use an account, from a time on (ISO 8601, UTC). */
export const Link = Schema.Struct({ branchId: Schema.String, at: Schema.String })
export type Link = typeof Link.Type

interface Linked {
  /** In the order of linking. */
  readonly links: ReadonlyArray<Link>
}

export const isLinked = ({ links }: Linked, branchId: string): boolean =>
  links.some((link) => link.branchId === branchId)

/**
 * The branch that may change the account. It is the branch that registered it; after its link was removed, the branch
 * that has been linked longest. Undefined when no branch is linked.
 */
export const ownerOf = ({ links: [first] }: Linked): string | undefined => first?.branchId
