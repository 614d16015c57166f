import { Effect } from "effect"
import { isHttps, TrustedProxies } from "./client-address.ts"
import type { Exchange } from "./endpoint.ts"

/**
 * A cookie of pages below `path`. Over https its name has the prefix `__Host-`: browsers then accept it only from this
 * host over https, so no other host of the domain can set it. The prefix requires the path `/`.
 */
export const hostCookie = (exchange: Exchange, name: string, path: string) =>
  Effect.map(
    TrustedProxies,
    (proxies) =>
      isHttps(exchange, proxies)
        ? { name: `__Host-${name}`, path: "/", secure: true } as const
        : { name, path, secure: false } as const
  )

/**
 * Whether a page of this service sent the form. Browsers report it in `Sec-Fetch-Site` on trustworthy connections and in
 * `Origin` otherwise. A request without both headers is rejected: no browser sends it.
 */
export const isSameOrigin = ({ headers }: Exchange): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site !== undefined) return site === "same-origin"
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase()
}
