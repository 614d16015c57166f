import type { CustomFetch, CustomFetchOptions } from "openid-client"
import type { EgressRequest, EgressResponse } from "../../../../ports/egress.ts"

/** The egress as a promise, because the library works with promises. Rejects with the `EgressError`. */
export type SendRequest = (
  request: EgressRequest,
  options: { readonly signal?: AbortSignal }
) => Promise<EgressResponse>

/** Limit of an answer of the provider. The largest one is the key set, of a few KiB. */
const MAX_BYTES = 512 * 1024

/** Time limit of each request to the provider, in milliseconds. That of the library is longer. */
const PROVIDER_MILLIS = 5_000

/** `Response` accepts no body, not even an empty one, with these. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

const bytesOf = (body: NonNullable<CustomFetchOptions["body"]>): Uint8Array => {
  if (typeof body === "string" || body instanceof URLSearchParams) return new TextEncoder().encode(body.toString())
  if (body instanceof Uint8Array) return body
  throw new TypeError("the body of a request to the provider must be a text or bytes")
}

const methodOf = (method: string): "GET" | "POST" => {
  if (method === "GET" || method === "POST") return method
  throw new TypeError(`requests to the provider are GET or POST, not ${method}`)
}

/**
 * `fetch` for openid-client that sends every request through the egress: with its limits of time and size, its DNS
 * servers and certificate authorities, and without redirects.
 */
export const makeEgressFetch =
  (send: SendRequest, schemes: ReadonlyArray<"http" | "https">): CustomFetch =>
  async (url, { body, headers, method, signal }) => {
    const answer = await send(
      {
        branchId: "console",
        method: methodOf(method),
        url,
        headers,
        schemes,
        maxRedirects: 0,
        maxBytes: MAX_BYTES,
        overflow: "fail",
        timeoutMillis: PROVIDER_MILLIS,
        ...(body === undefined || body === null ? {} : { body: bytesOf(body) })
      },
      signal === undefined ? {} : { signal }
    )
    return new Response(WITHOUT_BODY.has(answer.status) ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: { ...answer.headers }
    })
  }
