import { Context, Effect, Option } from "effect"
import type { Headers, HttpServerRequest } from "effect/http"
import { isWithin, parseAddress, type Range } from "../../../platform/ip-address.ts"

/** Proxies whose `X-Forwarded-For` is trusted (setting `TRUSTED_PROXIES`). */
export const TrustedProxies = Context.Reference<ReadonlyArray<Range>>("sliptrail/http/TrustedProxies", {
  defaultValue: () => []
})

interface Received {
  readonly request: Pick<HttpServerRequest.HttpServerRequest, "remoteAddress">
  readonly headers: Headers.Headers
}

/** The address of the connection. */
const peerOf = ({ request }: Pick<Received, "request">): string => Option.getOrElse(request.remoteAddress, () => "")

/**
 * Whether the caller uses https. The server itself has no TLS: a trusted proxy in front of it reports the scheme.
 */
export const isHttps = (received: Received, proxies: ReadonlyArray<Range>): boolean =>
  received.headers["x-forwarded-proto"]?.split(",").at(-1)?.trim() === "https"
  && isProxy(canonicalAddress(peerOf(received)), proxies)

/** The address of the caller, behind trusted proxies too. */
export const addressOf = (received: Received): Effect.Effect<string> =>
  Effect.map(TrustedProxies, (proxies) => clientAddress(peerOf(received), received.headers["x-forwarded-for"], proxies))

/**
 * The caller's address. `X-Forwarded-For` is read from the right: the first address that is not a trusted proxy
 * is the caller. The caller could have written every entry to the left of it.
 */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<Range>
): string => {
  let address = canonicalAddress(peer)
  for (const hop of (forwardedFor ?? "").split(",").reverse()) {
    if (hop.trim() === "" || !isProxy(address, trustedProxies)) break
    address = canonicalAddress(withoutPort(hop.trim()))
  }
  return address
}

/** Some proxies write the port behind an address. */
const withoutPort = (hop: string): string => {
  const host = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/u.exec(hop)
  return host?.[1] ?? host?.[2] ?? hop
}

/** The canonical text of an address; IPv4 inside IPv6 becomes IPv4. Other text is returned unchanged. */
export const canonicalAddress = (text: string): string => parseAddress(text.trim())?.toString() ?? text

/** Whether an address belongs to a trusted proxy. False for text that is not an address. */
export const isProxy = (address: string, proxies: ReadonlyArray<Range>): boolean =>
  isWithin(parseAddress(address), proxies)
