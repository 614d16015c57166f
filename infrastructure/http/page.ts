import { Effect } from "effect"
import { isCursor } from "../../projections/engine/page.ts"
import type { Exchange } from "./endpoint.ts"
import { invalid } from "../input/decode.ts"

const MAX_LIMIT = 500

/** The query of a request. Its target may be a whole URL with an invalid origin, so it is not parsed as a URL. */
export const queryOf = ({ request }: Exchange): URLSearchParams =>
  new URLSearchParams(/^[^?#]*\?([^#]*)/u.exec(request.url)?.[1])

/** The limit of a page when the request has none. */
const DEFAULT_LIMIT = 50

/** `cursor` and `limit` of a list. */
export const pageOf = Effect.fnUntraced(function* (exchange: Exchange, defaultLimit: number = DEFAULT_LIMIT) {
  const query = queryOf(exchange)
  const cursor = query.get("cursor") ?? undefined
  const limit = Number(query.get("limit") ?? defaultLimit)
  if (cursor !== undefined && !isCursor(cursor)) {
    return yield* invalid({ path: "cursor", message: "Expected the nextCursor of an earlier page" })
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    return yield* invalid({ path: "limit", message: `Expected a whole number from 1 to ${MAX_LIMIT}` })
  }
  return { cursor, limit }
})
