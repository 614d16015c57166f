import { Effect, Schema } from "effect"
import type { Member } from "../../ports/read-models.ts"
import type { MemberList, Range } from "./read-model.ts"

/** A page of a list, and the `cursor` of the next page. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

/** The order of a list, by the time of its entries. */
export const Order = Schema.Literals(["oldest", "newest"])
export type Order = typeof Order.Type

/** Selects a page. `cursor` is the `nextCursor` of the page before, in the same order. */
export interface PageQuery {
  readonly cursor?: string | undefined
  readonly limit: number
  /** Which entries come first; the oldest by default. */
  readonly order?: Order | undefined
}

export const formatCursor = ({ member, score }: Member): string => `${score}.${member}`

export const parseCursor = (cursor: string): Member => {
  const at = cursor.indexOf(".")
  return { score: Number(cursor.slice(0, at)), member: cursor.slice(at + 1) }
}

/** Whether a text has the form of a cursor. */
export const isCursor = (text: string): boolean => /^\d+\..+$/u.test(text)

/** The start of a page, for `ReadModels.members`; the first page has no cursor. */
export const afterCursor = (cursor: string | undefined): { readonly after?: Member } =>
  cursor === undefined ? {} : { after: parseCursor(cursor) }

/** Makes a page of at most `limit + 1` members: the extra one shows that there is a next page. */
export const pageOf = (members: ReadonlyArray<Member>, limit: number): Page<string> => {
  const items = members.slice(0, limit)
  const last = items.at(-1)
  return {
    items: items.map(({ member }) => member),
    nextCursor: members.length > limit && last !== undefined ? formatCursor(last) : null
  }
}

/** Members of several sets as if they were one, in the order of `ReadModels.members`. */
export const membersOfAll = Effect.fnUntraced(function* (sets: ReadonlyArray<MemberList>, range: Range) {
  const found = (yield* Effect.forEach(sets, (set) => set.members(range))).flat()
  return found.sort(range.reverse === true ? (one, other) => inOrder(other, one) : inOrder).slice(0, range.limit)
})

/** Hosts and ids are ASCII: the order of their characters is that of their bytes. */
const inOrder = (one: Member, other: Member): number => one.score - other.score || (one.member < other.member ? -1 : 1)

/** A page of the members of several sets. It reads at most `limit + 1` members of each. */
export const pageOfAll = (sets: ReadonlyArray<MemberList>, { cursor, limit, order }: PageQuery) =>
  Effect.map(
    membersOfAll(sets, { ...afterCursor(cursor), limit: limit + 1, reverse: order === "newest" }),
    (members) => pageOf(members, limit)
  )
