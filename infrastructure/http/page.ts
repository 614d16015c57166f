import { Effect } from "effect"
import { isCursor } from "../../projections/engine/page.ts"
import type { Exchange } from "./endpoint.ts"
import { invalid } from "../input/decode.ts"

const MOST_A_PAGE = 500

/** What stands behind the `?` of a request, whatever stands before it: there may be an origin, and one that is none. */
export const queryOf = ({ request }: Exchange): URLSearchParams =>
  new URLSearchParams(/^[^?#]*\?([^#]*)/u.exec(request.url)?.[1])

/** `cursor` and `limit` of a list. */
export const pageOf = Effect.fnUntraced(function* (exchange: Exchange) {
  const query = queryOf(exchange)
  const cursor = query.get("cursor") ?? undefined
  const limit = Number(query.get("limit") ?? 50)
  if (cursor !== undefined && !isCursor(cursor)) {
    return yield* invalid({ path: "cursor", message: "Expected the nextCursor of an earlier page" })
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_A_PAGE) {
    return yield* invalid({ path: "limit", message: `Expected a whole number from 1 to ${MOST_A_PAGE}` })
  }
  return { cursor, limit }
})
