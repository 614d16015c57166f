import { Context, type Effect, Schema } from "effect"

/** A request to a URL that came from outside. */
export interface EgressRequest {
  /** Pays for DNS lookups: the id of a branch, or the name of a command of the operator. */
  readonly branchId: string
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Allowed schemes of the URL and of every redirect. */
  readonly schemes: ReadonlyArray<"http" | "https">
  /** With 0 a redirect is returned as the response. */
  readonly maxRedirects: number
  /** Limit of the response body. */
  readonly maxBytes: number
  /**
   * `fail`: the body must be whole and fit, or the request fails. `truncate`: the status counts. Returns what arrived of
   * headers and body, at most `maxBytes`, also when the rest is broken, cut or late.
   */
  readonly overflow: "fail" | "truncate"
  /** For the whole request: resolving, connecting, redirects, headers, body. */
  readonly timeoutMillis: number
}

export interface EgressHop {
  readonly url: string
  /** The checked address of the connection. */
  readonly address: string
}

export interface EgressResponse {
  readonly status: number
  /** Names in lower case. A value has one character for each byte, and no control characters. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly hops: ReadonlyArray<EgressHop>
}

/**
 * Why a request failed.
 *
 * - `invalid-url`: cannot be parsed, or contains credentials
 * - `protocol`: a scheme that is not allowed
 * - `not-public`: at least one address of the host is not public
 * - `unresolvable`: the name has no address
 * - `busy`: the branch has too many DNS lookups in flight; says nothing about the host
 * - `unreachable`: no connection, TLS failure, reset, broken response
 * - `timeout`, `too-large`, `too-many-redirects`
 */
export const EgressReason = Schema.Literals([
  "invalid-url",
  "protocol",
  "not-public",
  "unresolvable",
  "busy",
  "unreachable",
  "timeout",
  "too-large",
  "too-many-redirects"
])
export type EgressReason = typeof EgressReason.Type

export class EgressError extends Schema.TaggedError<EgressError>()("EgressError", {
  reason: EgressReason,
  /** For a person. Does not contain the query of the URL. */
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Requests to URLs of callers. Every such request goes through this service. */
export class Egress extends Context.Service<Egress, {
  readonly request: (request: EgressRequest) => Effect.Effect<EgressResponse, EgressError>
  /** Resolves and checks a URL without connecting. Returns its addresses, all of them public. */
  readonly check: (
    url: string,
    schemes: ReadonlyArray<"http" | "https">,
    branchId: string
  ) => Effect.Effect<ReadonlyArray<string>, EgressError>
}>()("sliptrail/application/Egress") {}
