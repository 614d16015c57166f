import { Schema } from "effect"
import type { Actor } from "../actor.ts"

/** A branch that may use an account, from a time on (ISO 8601, UTC). */
export const Link = Schema.Struct({ branchId: Schema.String, at: Schema.String })
export type Link = typeof Link.Type

/** Where a moving account comes from, and what it keeps. */
export const MovedFrom = Schema.Struct({
  /** Digest of the old number. */
  digest: Schema.String,
  /** The last revision of the old number's stream when the move was decided. */
  revision: Schema.Int,
  /** The account keeps its creation time and its links. */
  createdAt: Schema.String,
  links: Schema.Array(Link)
})

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

/** Whether the actor may change the account: its owner may, and so may every operator. */
export const mayChange = (account: Linked, { id, kind }: Actor): boolean =>
  kind === "admin" || (kind === "branch" && id === ownerOf(account))
