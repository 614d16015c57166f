import { Effect } from "effect"
import { Flag } from "effect/cli"
import type { Page } from "../../projections/engine/page.ts"
import { cannotRun } from "./exit.ts"
import { note } from "./output.ts"

/** Rows asked for at a time. */
const PAGE = 500

/** How long a list may get. */
export const limitFlag = Flag.Int("limit").pipe(
  Flag.withDescription("Most that are listed"),
  Flag.withDefault(100)
)

/** A number of `--limit`. */
export const limitOf = (limit: number) =>
  limit >= 1 ? Effect.succeed(limit) : Effect.fail(cannotRun(`--limit: Expected at least 1, not ${limit}`))

/** The first `limit` of a list, page by page, and whether there are more. */
export const firstOf = Effect.fnUntraced(function* <A, E, R>(
  limit: number,
  pageOf: (page: { readonly cursor: string | undefined; readonly limit: number }) => Effect.Effect<Page<A>, E, R>
) {
  const items: Array<A> = []
  let cursor: string | undefined
  while (true) {
    const page = yield* pageOf({ cursor, limit: Math.min(PAGE, limit - items.length) })
    items.push(...page.items)
    cursor = page.nextCursor ?? undefined
    if (cursor === undefined || items.length >= limit) return { items, hasMore: cursor !== undefined }
  }
})

/** Says beside a list that it is not all. */
export const noteMore = (hasMore: boolean) =>
  hasMore ? note("… and more: list them with a higher --limit") : Effect.void
