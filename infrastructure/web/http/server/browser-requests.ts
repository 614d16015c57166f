import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { isHttps, TrustedProxies } from "./client-address.ts"
import type { Exchange } from "./endpoint.ts"
import { isLanguage } from "../../languages/languages.ts"
import { ownPath } from "../../pages/paths.ts"
import { sendRedirect } from "../../pages/respond.ts"
import { queryOf } from "./endpoint.ts"

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

/** A session as its cookie stores it. */
interface CookieSession {
  /** The value of the cookie. */
  readonly value: string
  /** When the session ends at the latest, in milliseconds since 1970. */
  readonly expiresAt: number
}

/**
 * The cookie of a session of pages below `path`: `read` gives the sent value, the others change it in an answer. Scripts
 * cannot read it, and browsers send it with requests of this host's own pages only.
 */
export const sessionCookie = (name: string, path: string) => {
  const setValue = (
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

  const set = (
    exchange: Exchange,
    response: HttpServerResponse.HttpServerResponse,
    { expiresAt, value }: CookieSession,
    now: number
  ) => setValue(exchange, response, value, Math.ceil((expiresAt - now) / 1_000))

  return {
    read: (exchange: Exchange) =>
      Effect.map(hostCookie(exchange, name, path), (cookie) => exchange.request.cookies[cookie.name]),
    set,
    /** Sets the renewed session; undefined keeps the cookie. */
    renew: Effect.fnUntraced(function* (
      exchange: Exchange,
      response: HttpServerResponse.HttpServerResponse,
      renewedAt: (now: number) => CookieSession | undefined
    ) {
      const now = yield* Clock.currentTimeMillis
      const renewed = renewedAt(now)
      return renewed === undefined ? response : yield* set(exchange, response, renewed, now)
    }),
    remove: (exchange: Exchange, response: HttpServerResponse.HttpServerResponse) => setValue(exchange, response, "", 0)
  }
}

/**
 * Redirects to the page of `?to=` below `path`. Browsers keep the chosen language of the pages there; an unknown language
 * changes nothing.
 */
export const sendLanguage = (exchange: Exchange, cookie: string, path: string, language: string | undefined) => {
  const response = sendRedirect(ownPath(path)(queryOf(exchange).get("to")), exchange)
  return isLanguage(language)
    ? HttpServerResponse.setCookieUnsafe(response, cookie, language, {
      path,
      maxAge: "365 days",
      httpOnly: true,
      sameSite: "strict"
    })
    : response
}

/**
 * Whether a page of this service sent the form. Browsers report it in `Sec-Fetch-Site` on trustworthy connections and in
 * `Origin` otherwise. A request without both headers is rejected: no browser sends it.
 */
export const isSameOrigin = ({ headers }: Exchange): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site !== undefined) return site === "same-origin"
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase()
}

/** The exchange with further headers of its answer. */
export const withAnswerHeaders = (exchange: Exchange, headers: Readonly<Record<string, string>>): Exchange => ({
  ...exchange,
  answerHeaders: { ...exchange.answerHeaders, ...headers }
})

/** The path and the query that a browser asked for. Its target may be a whole URL. */
export const askedPath = ({ request: { url } }: Exchange): string => url.replace(/^https?:\/\/[^/]+/iu, "")
