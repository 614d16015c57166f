import type { Issue } from "../../api/failures.ts"
import type { Fields } from "../../input/decode.ts"
import type { Exchange } from "../server/endpoint.ts"
import { pathOfTarget } from "../server/exact-request.ts"
import { queryOf } from "../server/endpoint.ts"

/** A request of a session of the console or of the shop's page, as a page or a form handler receives it. */
export interface SiteContext<Messages> {
  readonly messages: Messages
  readonly exchange: Exchange
  /** Such as `/console/services`. */
  readonly path: string
  /** The values of the `:` parts of the page's pattern, decoded. */
  readonly params: ReadonlyArray<string>
  readonly query: URLSearchParams
  /** The fields of a form; empty ones are absent. A file is a `Uint8Array`. Empty for a GET request. */
  readonly fields: Fields
  /** Errors of the fields, when the page shows a rejected form again. */
  readonly issues: ReadonlyArray<Issue>
  readonly formToken: string
  /** Whether the sandbox bank is one of the gateways. */
  readonly isSandbox: boolean
}

/** What a context has of the request alone. */
export const requestContext = (exchange: Exchange) => ({
  exchange,
  path: pathOfTarget(exchange.request.url),
  params: [],
  query: queryOf(exchange),
  fields: {},
  issues: []
})
