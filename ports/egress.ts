import { Context, type Effect, Schema } from "effect"

/** An exchange with a server whose address somebody else chose. */
export interface EgressRequest {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Schemes that are taken, of the first URL and of every redirect. */
  readonly schemes: ReadonlyArray<"http" | "https">
  /** 0: a redirect is the answer. */
  readonly maxRedirects: number
  /** Most bytes of the body that are read. */
  readonly maxBytes: number
  /** Over `maxBytes`: fail with `too-large`, or stop reading there and answer with what was read. */
  readonly overflow: "fail" | "truncate"
  /** For everything together: resolving, connecting, redirects, headers, body. */
  readonly timeoutMillis: number
}

export interface EgressHop {
  readonly url: string
  /** The address that was checked and connected to. */
  readonly address: string
}

export interface EgressResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly hops: ReadonlyArray<EgressHop>
}

/**
 * Why a URL was not reached.
 *
 * - `invalid-url`: cannot be parsed, or holds credentials
 * - `protocol`: a scheme that is not taken
 * - `not-public`: at least one address it stands for is not public
 * - `unresolvable`: the name has no address at the moment
 * - `unreachable`: no connection, TLS failure, reset, broken answer
 * - `timeout`, `too-large`, `too-many-redirects`
 */
export const EgressReason = Schema.Literals([
  "invalid-url",
  "protocol",
  "not-public",
  "unresolvable",
  "unreachable",
  "timeout",
  "too-large",
  "too-many-redirects"
])
export type EgressReason = typeof EgressReason.Type

export class EgressError extends Schema.TaggedError<EgressError>()("EgressError", {
  reason: EgressReason,
  /** For a person: what was found, without the URL's query. */
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The way out: nothing that a user names is reached except through here. */
export class Egress extends Context.Service<Egress, {
  readonly request: (request: EgressRequest) => Effect.Effect<EgressResponse, EgressError>
  /** Resolves and judges a URL without connecting: the addresses it stands for, all of them public. */
  readonly check: (
    url: string,
    schemes: ReadonlyArray<"http" | "https">
  ) => Effect.Effect<ReadonlyArray<string>, EgressError>
}>()("sliptrail/application/Egress") {}
