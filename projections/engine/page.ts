import type { Member } from "../../ports/read-models.ts"

/** A page of a list, and what to give as `cursor` for the next one. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

const formatCursor = ({ member, score }: Member): string => `${score}.${member}`

const parseCursor = (cursor: string): Member => {
  const at = cursor.indexOf(".")
  return { score: Number(cursor.slice(0, at)), member: cursor.slice(at + 1) }
}

/** Whether a text is a cursor that a page gave. */
export const isCursor = (text: string): boolean => /^\d+\..+$/u.test(text)

/** From where a page goes on, for `ReadModels.members`; the first one has no cursor. */
export const behind = (cursor: string | undefined): { readonly after?: Member } =>
  cursor === undefined ? {} : { after: parseCursor(cursor) }

/** Cuts a page off members of which one more than `limit` was asked for, which tells whether there is a next page. */
export const pageOf = <M extends Member>(members: ReadonlyArray<M>, limit: number): Page<M> => {
  const items = members.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: members.length > limit && last !== undefined ? formatCursor(last) : null }
}
