import { Effect } from "effect"
import { Directory } from "../../application/provisioning/directory.ts"
import type { Page } from "../../projections/engine/page.ts"
import { note } from "./output.ts"

const PAGE = 500

/** The first `limit` rows of a list that is read page by page, and whether there are more. */
export const firstRows = Effect.fnUntraced(function* <A, E, R>(
  limit: number,
  readPage: (page: { readonly cursor: string | undefined; readonly limit: number }) => Effect.Effect<Page<A>, E, R>
) {
  const items: Array<A> = []
  let cursor: string | undefined
  while (true) {
    const page = yield* readPage({ cursor, limit: Math.min(PAGE, limit - items.length) })
    items.push(...page.items)
    cursor = page.nextCursor ?? undefined
    if (cursor === undefined || items.length >= limit) return { items, hasMore: cursor !== undefined }
  }
})

export const noteMore = (hasMore: boolean) =>
  hasMore ? note("… there are more rows: use a higher --limit") : Effect.void

/** All services, oldest first, deleted services included. */
export const allServices = Effect.gen(function* () {
  const directory = yield* Directory
  const { items } = yield* firstRows(Infinity, (page) => directory.services(page))
  return items
})

export const noteNoService = note("There is no service yet. Create one with: sliptrail service create --name NAME")
