import { Effect } from "effect"
import { Vault } from "../../../../ports/vault.ts"
import { isCursor } from "../../../../projections/engine/page.ts"
import { type List, openCursor, sealCursor } from "./cursor.ts"
import { type Exchange, queryOf } from "../server/endpoint.ts"
import { invalid, type InvalidInput } from "../../input/decode.ts"

const MAX_LIMIT = 500

/** Items of a page that one request of the rate limit covers. Reading them takes some milliseconds. */
const ITEMS_PER_REQUEST = 20

/** The requests that a page counts as against the rate limit (docs/spec/http.md, "Limits"). */
export const requestsOfPage = (limit: number): number => Math.ceil(limit / ITEMS_PER_REQUEST)

/** The parameters of every list. */
export const PAGE_PARAMETERS: ReadonlyArray<string> = ["cursor", "limit"]

/** Unknown parameters that one answer names. */
const MAX_NAMED = 10

/**
 * Refuses parameters that the operation does not have: a filter with a mistake in its name would select everything, and a
 * caller that counts pages with `page` would get the first one for ever.
 */
export const refuseUnknownParameters = (known: ReadonlyArray<string>) => {
  const message = `Unknown parameter: give ${known.join(", ")}`
  return (query: URLSearchParams): Effect.Effect<void, InvalidInput> => {
    const unknown = new Set([...query.keys()].filter((name) => !known.includes(name)))
    return unknown.size === 0
      ? Effect.void
      : Effect.fail(invalid(...[...unknown].slice(0, MAX_NAMED).map((path) => ({ path, message }))))
  }
}

/** The limit of a page when the request has none. */
const DEFAULT_LIMIT = 50

const limitOf = Effect.fnUntraced(function* (query: URLSearchParams, defaultLimit: number) {
  const limit = Number(query.get("limit") ?? defaultLimit)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    return yield* invalid({ path: "limit", message: `Expected a whole number from 1 to ${MAX_LIMIT}` })
  }
  return limit
})

/** `cursor` and `limit` of a page of the console, whose cursors are not sealed. */
export const pageOf = Effect.fnUntraced(function* (exchange: Exchange) {
  const query = queryOf(exchange)
  const cursor = query.get("cursor") ?? undefined
  if (cursor !== undefined && !isCursor(cursor)) return yield* unknownCursor()
  return { cursor, limit: yield* limitOf(query, DEFAULT_LIMIT) }
})

const unknownCursor = () =>
  invalid({ path: "cursor", message: "Expected the nextCursor of the page before, with the same filters and order" })

/** `cursor` and `limit` of a list of the API. */
export const pageOfList = Effect.fnUntraced(
  function* (exchange: Exchange, list: List, defaultLimit: number = DEFAULT_LIMIT) {
    const query = queryOf(exchange)
    const given = query.get("cursor") ?? undefined
    const cursor = given === undefined ? undefined : openCursor(yield* Vault, list, given)
    if (given !== undefined && cursor === undefined) return yield* unknownCursor()
    return { cursor, limit: yield* limitOf(query, defaultLimit) }
  }
)

const isObject = (data: unknown): data is Readonly<Record<string, unknown>> => typeof data === "object" && data !== null

/** The data of a list with its cursor sealed. */
export const withSealedCursor = Effect.fnUntraced(function* (list: List, data: unknown) {
  if (!isObject(data) || typeof data["nextCursor"] !== "string") return data
  return { ...data, nextCursor: sealCursor(yield* Vault, list, data["nextCursor"]) }
})
