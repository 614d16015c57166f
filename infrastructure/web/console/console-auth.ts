import { Clock, Effect, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { issueText, reasonText } from "./error-pages.ts"
import { requestIdsOf } from "./page-context.ts"
import { renderLogin } from "./login-page.ts"
import { type Messages, messagesFor } from "./messages.ts"
import { ownPath } from "../pages/paths.ts"
import { sendHtml, sendRedirect } from "../pages/respond.ts"
import type { SessionLimits } from "../pages/signed-sessions.ts"
import { makeSessions, type Session, type SignedIn } from "./session.ts"
import { ifKnown } from "../../../application/events/follow-stream.ts"
import {
  endAllConsoleSessions,
  endConsoleSession,
  type EndedSessions,
  recordSignIn
} from "../../../application/operators/console-sessions.ts"
import type { Operator } from "../../../application/operators/require-act.ts"
import type { RequestIds } from "../../../application/events/handle-command.ts"
import { isOpen } from "../../../domain/console-sessions.ts"
import { operatorNamed, type OperatorsState } from "../../../domain/operators.ts"
import type { AdminAuth, AdminRefused } from "../http/auth/admin-auth.ts"
import { statusOf } from "../api/failures.ts"
import { type Failure, toAdminError } from "../http/operations/application-failures.ts"
import { askedPath, isSameOrigin, sessionCookie, withAnswerHeaders } from "../http/server/browser-requests.ts"
import { URLENCODED } from "../http/bodies/decode-body.ts"
import { readBody, type ReadOptions } from "../http/operations/body.ts"
import type { Exchange } from "../http/server/endpoint.ts"
import { SandboxMark } from "../http/operations/sandbox-mark.ts"
import { queryOf } from "../http/server/endpoint.ts"
import { retryAfter } from "../http/server/reply.ts"
import type { Vault } from "../../../ports/vault.ts"

/** How the console's forms are read. */
export const FORM: ReadOptions = { owner: "console", json: "never", forms: [URLENCODED] }

/** Marks requests of console.js, which are answered with a fragment of a page. */
export const FRAGMENT_HEADER = "x-console-fragment"

/** A path of the console that a redirect may use. Any other path becomes the first page. */
export const consolePath = ownPath("/console")

const cookie = sessionCookie("sliptrail_console", "/console")

/** The role that counts now. A changed role counts at the next request; the provider gives the role of its sessions. */
const roleOf = (operators: OperatorsState | undefined, { name, role, source }: SignedIn): Operator["role"] =>
  source === "token" && operators !== undefined ? operatorNamed(operators, name)?.role ?? role : role

/** An answer to a failed sign-in: the sign-in page with the reason. */
export interface RejectedLogin {
  readonly status: number
  readonly error: string
  readonly headers?: Readonly<Record<string, string>>
  /** Those of the request if absent. */
  readonly messages?: Messages
}

/** Sign-in, and the sessions that follow. `providerHost` is the OpenID Connect provider, if there is one. */
export const makeConsoleAuth = (
  { check, credentialOf, hasOtherAdmin, operators }: AdminAuth,
  vault: Vault["Service"],
  limits: SessionLimits,
  endedSessions: EndedSessions,
  providerHost: string | undefined
) => {
  const sessions = makeSessions(vault, limits)
  /** Read together: each waits for an event store that is away. */
  const followed = Effect.all([ifKnown(operators), ifKnown(endedSessions)], { concurrency: 2 })

  const renderLoginOf = Effect.fnUntraced(function* (messages: Messages, to: string, error?: string) {
    const known = yield* ifKnown(operators)
    const isFirst = !hasOtherAdmin && providerHost === undefined && known !== undefined && known.byName.size === 0
    return renderLogin(messages, { to, isSandbox: yield* SandboxMark, isFirst, providerHost, error })
  })

  const rejectLogin = (
    exchange: Exchange,
    to: string,
    { error, headers = {}, messages = messagesFor(exchange.request), status }: RejectedLogin
  ) =>
    Effect.map(
      renderLoginOf(messages, to, error),
      (page) => sendHtml(page, status, withAnswerHeaders(exchange, headers))
    )

  /** Why a sign-in is refused before it is checked, or with a wrong token. */
  const rejectRefused = (
    exchange: Exchange,
    to: string,
    { reason, retryAfterSeconds }: AdminRefused,
    messages = messagesFor(exchange.request)
  ) => {
    const headers = retryAfterSeconds > 0 ? { "retry-after": String(retryAfterSeconds) } : {}
    const { pause, unavailable, wrong } = messages.login
    const [status, error] = ({
      "wrong-token": [401, wrong],
      "paused": [429, pause(retryAfterSeconds)],
      "unavailable": [503, unavailable]
    } as const)[reason]
    return rejectLogin(exchange, to, { status, error, headers, messages })
  }

  /** Why the form of a sign-in could not be read. It holds no token, so none was wrong. */
  const rejectUnread = (exchange: Exchange, to: string, failure: Failure) => {
    const messages = messagesFor(exchange.request)
    const refusal = toAdminError(failure)
    const { issues = [], retryAfterSeconds } = refusal
    return rejectLogin(exchange, to, {
      status: statusOf(refusal),
      error: [reasonText(messages, failure), ...issues.map((issue) => issueText(messages, issue))].join(" "),
      headers: retryAfter(retryAfterSeconds)
    })
  }

  /** The session of a request; undefined when it has none, or when the session has ended in any process. */
  const sessionOf = Effect.fnUntraced(function* (exchange: Exchange) {
    const value = yield* cookie.read(exchange)
    if (value === undefined) return undefined
    const [known, ended] = yield* followed
    const session = sessions.read(value, yield* Clock.currentTimeMillis, (who) => credentialOf(known, who))
    if (session === undefined) return undefined
    if (ended === undefined || !isOpen(ended, { ...session, operator: session.name })) return undefined
    return { ...session, role: roleOf(known, session) }
  })

  /**
   * Starts a session of an operator whose identity has been checked, records it, and leads the browser to `to`, by default
   * with a redirect. Each sign-in has a new session; one that the browser already had ends.
   */
  const signIn = Effect.fnUntraced(function* (
    exchange: Exchange,
    who: SignedIn,
    to: string,
    { answer = sendRedirect(to, exchange), messages = messagesFor(exchange.request) }: {
      readonly answer?: HttpServerResponse.HttpServerResponse
      readonly messages?: Messages
    } = {}
  ) {
    const unavailable = rejectLogin(exchange, to, { status: 503, error: messages.login.unavailable, messages })
    const [known, ended] = yield* followed
    if (ended === undefined) return yield* unavailable
    const now = yield* Clock.currentTimeMillis
    const credential = credentialOf(known, who)
    if (credential === undefined) return yield* unavailable
    const session = sessions.start(who, credential, now, ended.epoch)
    const ids = requestIdsOf({ exchange, operator: who })
    const before = yield* sessionOf(exchange)
    return yield* recordSignIn({ ...session, operator: session.name }, ids).pipe(
      Effect.andThen(before === undefined ? Effect.void : endConsoleSession(before, ids)),
      Effect.andThen(cookie.set(exchange, answer, session, now)),
      Effect.catch(() => unavailable)
    )
  })

  return {
    session: sessionOf,
    signIn,
    rejectLogin,
    rejectRefused,

    /** The answer to a request of a session. It renews the cookie, so that the idle time begins again. */
    renewed: (exchange: Exchange, session: Session, response: HttpServerResponse.HttpServerResponse) =>
      cookie.renew(exchange, response, (now) => sessions.renew(session, now)),

    redirectToLogin: (exchange: Exchange) => {
      // The script reloads the whole page: a fragment of the page can't show the sign-in form.
      if (exchange.headers[FRAGMENT_HEADER] !== undefined) {
        return HttpServerResponse.empty({ status: 401, headers: { "x-request-id": exchange.requestId } })
      }
      const query = exchange.request.method === "GET" ? `?to=${encodeURIComponent(askedPath(exchange))}` : ""
      return sendRedirect(`/console/login${query}`, exchange)
    },

    showLogin: Effect.fnUntraced(function* (exchange: Exchange, session: Session | undefined) {
      const to = consolePath(queryOf(exchange).get("to"))
      return session === undefined
        ? sendHtml(yield* renderLoginOf(messagesFor(exchange.request), to), 200, exchange)
        : sendRedirect(to, exchange)
    }),

    login: Effect.fnUntraced(function* (exchange: Exchange) {
      const messages = messagesFor(exchange.request)
      const body = yield* Effect.scopedWith((scope) => Effect.result(readBody(exchange, FORM, scope)))
      const { to, token: entered } = Result.isSuccess(body) ? body.success.fields : {}
      const path = consolePath(typeof to === "string" ? to : null)
      if (!isSameOrigin(exchange)) {
        return yield* rejectLogin(exchange, path, { status: 403, error: messages.login.otherSite })
      }
      if (Result.isFailure(body)) return yield* rejectUnread(exchange, path, body.failure)
      const checked = yield* Effect.result(
        check("console", exchange, typeof entered === "string" ? entered.trim() : "")
      )
      if (Result.isFailure(checked)) return yield* rejectRefused(exchange, path, checked.failure)
      return yield* signIn(exchange, { ...checked.success, source: "token" }, path)
    }),

    /** Ends the session, or all sessions, in every process, and removes the cookie. */
    logout: Effect.fnUntraced(function* (
      exchange: Exchange,
      session: Session,
      which: "this" | "all",
      ids: RequestIds
    ) {
      yield* which === "all" ? endAllConsoleSessions({}, ids) : endConsoleSession(session, ids)
      return yield* cookie.remove(exchange, sendRedirect("/console/login", exchange))
    })
  }
}

export type ConsoleAuth = ReturnType<typeof makeConsoleAuth>
