import { Clock, Effect, Redacted, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { messagesFor } from "./page-context.ts"
import { renderSignedOut } from "./layout.ts"
import type { Messages } from "./messages/en.ts"
import { sendHtml, sendRedirect } from "./respond.ts"
import { makeSessions, type Session, SESSION_COOKIE, SESSION_SECONDS } from "./session.ts"
import type { AdminAuth } from "../http/admin-auth.ts"
import { canonicalAddress, isProxy, peerOf, TrustedProxies } from "../http/authenticate.ts"
import { readBody } from "../http/body.ts"
import type { Exchange } from "../http/endpoint.ts"
import { type Content, type Html, markup } from "../http/html.ts"
import { queryOf } from "../http/page.ts"
import type { Vault } from "../../ports/vault.ts"

/** The media types of the console's forms. */
export const FORM_TYPES = ["application/x-www-form-urlencoded"]

/** Marks requests of console.js, which are answered with a fragment of a page. */
export const FRAGMENT_HEADER = "x-console-fragment"

const MAX_PATH_LENGTH = 2_048

const CONSOLE_PATH = /^\/console(?:[/?](?!\/)[\x21-\x7e]*)?$/u

/** Browsers resolve `..`, also when it is encoded. The path must stay below `/console` after that. */
const isBelowConsole = (path: string): boolean =>
  /^\/console(?:\/|$)/u.test(new URL(path, "http://console.invalid").pathname)

/** A path of the console that a redirect may use. Any other path becomes the first page. */
export const consolePath = (path: string | null): string => {
  const isOwn = path !== null && path.length <= MAX_PATH_LENGTH && CONSOLE_PATH.test(path) && !path.includes("\\")
    && isBelowConsole(path)
  return isOwn ? path : "/console"
}

/** Whether the browser uses https. This server has no TLS; a trusted proxy in front of it reports the scheme. */
const isHttps = (exchange: Exchange) =>
  Effect.map(
    TrustedProxies,
    (proxies) =>
      exchange.headers["x-forwarded-proto"]?.split(",").at(-1)?.trim() === "https"
      && isProxy(canonicalAddress(peerOf(exchange)), proxies)
  )

/**
 * Whether a page of this console sent the form. Browsers report it in `Sec-Fetch-Site` on trustworthy connections and in
 * `Origin` otherwise. A request without both headers is rejected: no browser sends it.
 */
export const isSameOrigin = ({ headers }: Exchange): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site !== undefined) return site === "same-origin"
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase()
}

const renderLogin = (messages: Messages, to: string, error?: string): Html => {
  const { button, hint, title, token } = messages.login
  const banner: Content = error === undefined ? undefined : markup`<p class="banner bad" role="alert">${error}</p>`
  return renderSignedOut({
    messages,
    title,
    path: `/console/login?to=${encodeURIComponent(to)}`,
    content: markup`<form class="card login" method="post" action="/console/login"><h1>${title}</h1>${banner}
<input type="hidden" name="to" value="${to}">
<input type="text" name="username" value="ADMIN_TOKEN" autocomplete="username" hidden>
<p class="field"><label for="token">${token}</label>
<input id="token" name="token" type="password" required autocomplete="current-password"
aria-describedby="token-hint" autofocus></p>
<p class="hint" id="token-hint">${hint}</p>
<p><button class="primary">${button}</button></p></form>`
  })
}

/** Sign-in with the admin token, and the sessions that follow. */
export const makeConsoleAuth = ({ check, token }: AdminAuth, vault: Vault["Service"]) => {
  const sessions = makeSessions(Redacted.value(token), vault)

  /** `maxAge` is in seconds. */
  const redirectWithCookie = Effect.fnUntraced(function* (
    exchange: Exchange,
    path: string,
    cookie: { readonly value: string; readonly maxAge: number }
  ) {
    return HttpServerResponse.setCookieUnsafe(sendRedirect(path, exchange), SESSION_COOKIE, cookie.value, {
      path: "/console",
      maxAge: `${cookie.maxAge} seconds`,
      httpOnly: true,
      sameSite: "strict",
      secure: yield* isHttps(exchange)
    })
  })

  return {
    session: ({ request }: Exchange, now: number): Session | undefined =>
      sessions.read(request.cookies[SESSION_COOKIE], now),

    redirectToLogin: (exchange: Exchange) => {
      // The script reloads the whole page: a fragment of the page can't show the sign-in form.
      if (exchange.headers[FRAGMENT_HEADER] !== undefined) {
        return HttpServerResponse.empty({ status: 401, headers: { "x-request-id": exchange.requestId } })
      }
      const { method, url } = exchange.request
      const target = url.replace(/^https?:\/\/[^/]+/iu, "")
      return sendRedirect(
        method === "GET" ? `/console/login?to=${encodeURIComponent(target)}` : "/console/login",
        exchange
      )
    },

    showLogin: (exchange: Exchange, session: Session | undefined) => {
      const to = consolePath(queryOf(exchange).get("to"))
      return session === undefined
        ? sendHtml(renderLogin(messagesFor(exchange.request), to), 200, exchange)
        : sendRedirect(to, exchange)
    },

    login: Effect.fnUntraced(function* (exchange: Exchange) {
      const messages = messagesFor(exchange.request)
      const body = yield* Effect.option(readBody(exchange, FORM_TYPES))
      const { to, token: entered } = body._tag === "Some" ? body.value.fields : {}
      const path = consolePath(typeof to === "string" ? to : null)
      const reject = (status: number, error: string, answerHeaders: Readonly<Record<string, string>> = {}) =>
        sendHtml(renderLogin(messages, path, error), status, { ...exchange, answerHeaders })

      if (!isSameOrigin(exchange)) return reject(403, messages.login.otherSite)
      const checked = yield* Effect.result(
        check("console", exchange, typeof entered === "string" ? entered.trim() : "")
      )
      if (Result.isFailure(checked)) {
        const { reason, retryAfterSeconds } = checked.failure
        return reason === "wrong-token"
          ? reject(401, messages.login.wrong)
          : reject(429, messages.login.pause(retryAfterSeconds), { "retry-after": String(retryAfterSeconds) })
      }
      const now = yield* Clock.currentTimeMillis
      return yield* redirectWithCookie(exchange, path, { value: sessions.start(now).value, maxAge: SESSION_SECONDS })
    }),

    logout: (exchange: Exchange) => redirectWithCookie(exchange, "/console/login", { value: "", maxAge: 0 })
  }
}
