import { Clock, Effect, Redacted, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { messagesFor } from "./page-context.ts"
import { renderSignedOut } from "./layout.ts"
import type { Messages } from "./messages/en.ts"
import { sendHtml, sendRedirect } from "./respond.ts"
import { makeSessions, type Session, type SessionLimits } from "./session.ts"
import {
  endAllConsoleSessions,
  endConsoleSession,
  type EndedSessions
} from "../../application/provisioning/console-sessions.ts"
import type { Operation } from "../../application/provisioning/operator-command.ts"
import { isOpen } from "../../domain/console-sessions.ts"
import type { AdminAuth } from "../http/admin-auth.ts"
import { isHttps, TrustedProxies } from "../http/client-address.ts"
import { URLENCODED } from "../http/bodies/decode-body.ts"
import { readBody, type ReadOptions } from "../http/body.ts"
import type { Exchange } from "../http/endpoint.ts"
import { type Content, exact, type Html, markup } from "../http/html.ts"
import { SandboxMark } from "../http/sandbox-mark.ts"
import { queryOf } from "../http/page.ts"
import type { Vault } from "../../ports/vault.ts"

/** How the console's forms are read. */
export const FORM: ReadOptions = { owner: "console", forms: [URLENCODED] }

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

/**
 * The session cookie. Over https its name has the prefix `__Host-`: browsers then accept it only from this host over
 * https, so no other host of the domain can set it. The prefix requires the path `/`.
 */
const sessionCookie = (exchange: Exchange) =>
  Effect.map(
    TrustedProxies,
    (proxies) =>
      isHttps(exchange, proxies)
        ? { name: "__Host-sliptrail_console", path: "/", secure: true } as const
        : { name: "sliptrail_console", path: "/console", secure: false } as const
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

const renderLogin = (messages: Messages, to: string, isSandbox: boolean, error?: string): Html => {
  const { button, hint, title, token } = messages.login
  const banner: Content = error === undefined ? undefined : markup`<p class="banner bad" role="alert">${error}</p>`
  return renderSignedOut({
    messages,
    title,
    isSandbox,
    path: `/console/login?to=${encodeURIComponent(to)}`,
    content: markup`<form class="card login" method="post" action="/console/login"><h1>${title}</h1>${banner}
<input type="hidden" name="to" value="${exact(to)}">
<input type="text" name="username" value="ADMIN_TOKEN" autocomplete="username" hidden>
<p class="field"><label for="token">${token}</label>
<input id="token" name="token" type="password" required autocomplete="current-password"
aria-describedby="token-hint" autofocus></p>
<p class="hint" id="token-hint">${hint}</p>
<p><button class="primary">${button}</button></p></form>`
  })
}

const setCookie = Effect.fnUntraced(function* (
  exchange: Exchange,
  response: HttpServerResponse.HttpServerResponse,
  value: string,
  maxAgeSeconds: number
) {
  const { name, ...options } = yield* sessionCookie(exchange)
  return HttpServerResponse.setCookieUnsafe(response, name, value, {
    ...options,
    maxAge: `${maxAgeSeconds} seconds`,
    httpOnly: true,
    sameSite: "strict"
  })
})

/** Sign-in with the admin token, and the sessions that follow. */
export const makeConsoleAuth = (
  { check, token }: AdminAuth,
  vault: Vault["Service"],
  limits: SessionLimits,
  endedSessions: EndedSessions
) => {
  const sessions = makeSessions(Redacted.value(token), vault, limits)

  const setSession = (
    exchange: Exchange,
    response: HttpServerResponse.HttpServerResponse,
    { expiresAt, value }: Session,
    now: number
  ) => setCookie(exchange, response, value, Math.ceil((expiresAt - now) / 1_000))

  return {
    /** The session of a request; undefined when it has none, or when the session has ended in any process. */
    session: Effect.fnUntraced(function* (exchange: Exchange) {
      const { name } = yield* sessionCookie(exchange)
      const session = sessions.read(exchange.request.cookies[name], yield* Clock.currentTimeMillis)
      if (session === undefined) return undefined
      const ended = yield* endedSessions
      return ended !== undefined && isOpen(ended, session) ? session : undefined
    }),

    /** The answer to a request of a session. It renews the cookie, so that the idle time begins again. */
    renewed: Effect.fnUntraced(function* (
      exchange: Exchange,
      session: Session,
      response: HttpServerResponse.HttpServerResponse
    ) {
      const now = yield* Clock.currentTimeMillis
      const renewed = sessions.renew(session, now)
      return renewed === undefined ? response : yield* setSession(exchange, response, renewed, now)
    }),

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

    showLogin: Effect.fnUntraced(function* (exchange: Exchange, session: Session | undefined) {
      const to = consolePath(queryOf(exchange).get("to"))
      return session === undefined
        ? sendHtml(renderLogin(messagesFor(exchange.request), to, yield* SandboxMark), 200, exchange)
        : sendRedirect(to, exchange)
    }),

    login: Effect.fnUntraced(function* (exchange: Exchange) {
      const messages = messagesFor(exchange.request)
      const body = yield* Effect.scopedWith((scope) => Effect.option(readBody(exchange, FORM, scope)))
      const { to, token: entered } = body._tag === "Some" ? body.value.fields : {}
      const path = consolePath(typeof to === "string" ? to : null)
      const isSandbox = yield* SandboxMark
      const reject = (status: number, error: string, answerHeaders: Readonly<Record<string, string>> = {}) =>
        sendHtml(renderLogin(messages, path, isSandbox, error), status, { ...exchange, answerHeaders })

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
      const ended = yield* endedSessions
      if (ended === undefined) return reject(503, messages.login.unavailable)
      const now = yield* Clock.currentTimeMillis
      return yield* setSession(exchange, sendRedirect(path, exchange), sessions.start(now, ended.epoch), now)
    }),

    /** Ends the session, or all sessions, in every process, and removes the cookie. */
    logout: Effect.fnUntraced(function* (
      exchange: Exchange,
      session: Session,
      which: "this" | "all",
      operation: Operation
    ) {
      yield* which === "all" ? endAllConsoleSessions(session, operation) : endConsoleSession(session, operation)
      return yield* setCookie(exchange, sendRedirect("/console/login", exchange), "", 0)
    })
  }
}
