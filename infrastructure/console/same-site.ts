import { Effect, Option } from "effect"
import { TrustedProxies } from "../http/authenticate.ts"
import { canonicalAddress, clientAddress, isProxy } from "../http/client-address.ts"
import type { Exchange } from "../http/endpoint.ts"

const peerOf = ({ request }: Exchange): string => Option.getOrElse(request.remoteAddress, () => "")

/** Who looks, as far as trusted proxies say it. */
export const addressOf = (exchange: Exchange) =>
  Effect.map(TrustedProxies, (proxies) => clientAddress(peerOf(exchange), exchange.headers["x-forwarded-for"], proxies))

/** Whether the browser came by https: this server speaks none itself, a proxy in front that is trusted says so. */
export const cameByHttps = (exchange: Exchange) =>
  Effect.map(
    TrustedProxies,
    (proxies) =>
      exchange.headers["x-forwarded-proto"]?.split(",").at(-1)?.trim() === "https"
      && isProxy(canonicalAddress(peerOf(exchange)), proxies)
  )

/**
 * Whether a page of this very site sent the form. Browsers say so in `Sec-Fetch-Site` where they trust the connection,
 * and in `Origin` otherwise; whoever says neither is no browser that has a session to lose.
 */
export const isOwnForm = ({ headers }: Exchange): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site !== undefined) return site === "same-origin"
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase()
}
