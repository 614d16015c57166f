import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
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
 * The cookie of a session of pages below `path`: `read` gives the sent value, `set` adds it to an answer. Scripts cannot
 * read it, and browsers send it with requests of this host's own pages only.
 */
export const sessionCookie = (name: string, path: string) => ({
  read: (exchange: Exchange) =>
    Effect.map(hostCookie(exchange, name, path), (cookie) => exchange.request.cookies[cookie.name]),
  set: (
    exchange: Exchange,
    response: HttpServerResponse.HttpServerResponse,
    value: string,
    maxAgeSeconds: number
  ) =>
    Effect.map(
      hostCookie(exchange, name, path),
      ({ name, ...options }) =>
        HttpServerResponse.setCookieUnsafe(response, name, value, {
          ...options,
          maxAge: `${maxAgeSeconds} seconds`,
          httpOnly: true,
          sameSite: "strict"
        })
    )
})

/**
 * Whether a page of this service sent the form. Browsers report it in `Sec-Fetch-Site` on trustworthy connections and in
 * `Origin` otherwise. A request without both headers is rejected: no browser sends it.
 */
export const isSameOrigin = ({ headers }: Exchange): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site !== undefined) return site === "same-origin"
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase()
}
