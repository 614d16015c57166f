import type { Order } from "../../domain/order.ts"
import { Effect } from "effect"
import type { Member, ScoreRange } from "../../ports/read-models.ts"
import type { MemberList, Range } from "./read-model.ts"

/** A page of a list, and the `cursor` of the next page. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

/** Selects a page. `cursor` is the `nextCursor` of the page before, in the same order. */
export interface PageQuery {
  readonly cursor?: string | undefined
  readonly limit: number
  /** Which entries come first; the oldest by default. */
  readonly order?: Order | undefined
  /** Bounds of the score by which the list is ordered, both inclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The bounds, order and start of a page, for `ReadModels.members`. */
const rangeOf = ({ cursor, from, order, to }: Omit<PageQuery, "limit">): Range => ({
  ...afterCursor(cursor),
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
  reverse: order === "newest"
})

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

/** Items of a page that are read at a time. */
const CONCURRENT_ITEMS = 10

/**
 * Reads what belongs to the items of a page, in their order, without items that have nothing. Embedded engines read
 * synchronously: other requests run after each item.
 */
export const readItems = <A, B, E, R>(items: ReadonlyArray<A>, read: (item: A) => Effect.Effect<B, E, R>) =>
  Effect.forEach(items, (item) => Effect.tap(read(item), () => Effect.yieldNow), { concurrency: CONCURRENT_ITEMS })
    .pipe(
      Effect.map((found) => found.filter((item) => item !== undefined))
    )

/** Members that `forEachPage` reads at a time. */
const PAGE = 500

/** Reads a list page by page, in order. */
export const forEachPage = Effect.fnUntraced(function* <E, R>(
  list: MemberList,
  range: ScoreRange,
  use: (page: ReadonlyArray<Member>) => Effect.Effect<void, E, R>
) {
  let last: Member | undefined
  while (true) {
    const page = yield* list.members({ ...range, ...(last === undefined ? {} : { after: last }), limit: PAGE })
    yield* use(page)
    last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    // Embedded read models are synchronous: other requests run between two pages.
    yield* Effect.yieldNow
  }
})

/** Sets that are read at a time. */
const CONCURRENT_SETS = 8

type InOrder = (one: Member, other: Member) => number

/** Hosts and ids are ASCII: the order of their characters is that of their bytes. */
const inOrder: InOrder = (one, other) => one.score - other.score || (one.member < other.member ? -1 : 1)
const inReverse: InOrder = (one, other) => inOrder(other, one)
const orderOf = ({ reverse }: Range): InOrder => reverse === true ? inReverse : inOrder

/** Members of several sets as if they were one, in the order of `ReadModels.members`. */
export const membersOfAll = Effect.fnUntraced(function* (sets: ReadonlyArray<MemberList>, range: Range) {
  const found = yield* Effect.forEach(sets, (set) => set.members(range), { concurrency: CONCURRENT_SETS })
  return found.flat().sort(orderOf(range)).slice(0, range.limit)
})

/** A page of the members of several sets. It reads at most `limit + 1` members of each. */
export const pageOfAll = (sets: ReadonlyArray<MemberList>, { limit, ...page }: PageQuery) =>
  Effect.map(membersOfAll(sets, { ...rangeOf(page), limit: limit + 1 }), (members) => pageOf(members, limit))

/** Members that a page with a filter examines at most. */
export const MOST_EXAMINED = 2_000

/** The part of the examined members that is read from one set at a time. */
const CHUNKS = 20

/** The part of a set that was read and not used yet. */
interface Buffer {
  readonly set: MemberList
  readonly members: Array<Member>
  /** The last member that was read. */
  last: Member | undefined
  isEnded: boolean
}

/**
 * A page of the members of several sets that pass a filter. It examines at most `mostExamined` members, so with a filter
 * it can have fewer than `limit` items, even none, while there is a next page. Without a filter a page is full.
 */
export const filteredPageOfAll = Effect.fnUntraced(function* (
  sets: ReadonlyArray<MemberList>,
  { limit, ...page }: PageQuery,
  passes?: (member: string) => boolean,
  mostExamined = MOST_EXAMINED
) {
  const range = rangeOf(page)
  const order = orderOf(range)
  const most = mostExamined / CHUNKS
  const chunk = passes === undefined ? Math.min(most, limit + 1) : most
  const buffers = sets.map((set): Buffer => ({ set, members: [], last: range.after, isEnded: false }))
  const fill = Effect.fnUntraced(function* (buffer: Buffer) {
    if (buffer.members.length > 0 || buffer.isEnded) return
    const { last, set } = buffer
    const read = yield* set.members({ ...range, ...(last === undefined ? {} : { after: last }), limit: chunk })
    buffer.members.push(...read)
    buffer.last = read.at(-1)
    buffer.isEnded = read.length < chunk
  })
  /** The buffer with the next member; undefined when all sets have ended. */
  const next = Effect.fnUntraced(function* () {
    const empty = buffers.filter(({ isEnded, members }) => members.length === 0 && !isEnded)
    if (empty.length > 0) {
      yield* Effect.forEach(empty, fill, { concurrency: CONCURRENT_SETS })
      // Embedded engines read synchronously: without this, a long page would block the process.
      yield* Effect.yieldNow
    }
    let first: Buffer | undefined
    for (const buffer of buffers) {
      const [member] = buffer.members
      const [least] = first?.members ?? []
      if (member !== undefined && (least === undefined || order(member, least) < 0)) first = buffer
    }
    return first
  })

  const items: Array<Member> = []
  let examined: Member | undefined
  for (let count = 0;; count++) {
    const buffer = yield* next()
    if (buffer === undefined) return { items, nextCursor: null } satisfies Page<Member>
    if (examined !== undefined && (items.length === limit || count === mostExamined)) {
      return { items, nextCursor: formatCursor(examined) } satisfies Page<Member>
    }
    examined = buffer.members.shift()
    if (examined !== undefined && passes?.(examined.member) !== false) items.push(examined)
  }
})

/** Members that were read elsewhere, as a list. */
export const listOf = (members: ReadonlyArray<Member>): MemberList => ({
  members: (range = {}) => {
    const { after, from = -Infinity, limit = Infinity, to = Infinity } = range
    const order = orderOf(range)
    const found = members.filter((member) =>
      member.score >= from && member.score <= to
      && (after === undefined || (member.member !== after.member && order(after, member) < 0))
    )
    return Effect.succeed(found.sort(order).slice(0, limit))
  }
})
