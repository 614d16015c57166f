import { Clock, Effect, Result } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type Caller, Callers } from "../../../application/provisioning/callers.ts"
import { endShopSession, isShopSessionEnded } from "../../../application/shop/shop-sessions.ts"
import { redeemSignInLink } from "../../../application/shop/sign-in-links.ts"
import type { Vault } from "../../../ports/vault.ts"
import { type Failure, toApiError } from "../http/operations/application-failures.ts"
import { statusOf } from "../api/failures.ts"
import { admitCaller, callerOfKey, limitGuesses, WrongKeyLimiter } from "../http/auth/authenticate.ts"
import { MULTIPART, URLENCODED } from "../http/bodies/decode-body.ts"
import { readBody } from "../http/operations/body.ts"
import { askedPath, isSameOrigin, sessionCookie, withAnswerHeaders } from "../http/server/browser-requests.ts"
import type { Exchange } from "../http/server/endpoint.ts"
import { queryOf } from "../http/server/endpoint.ts"
import { retryAfter } from "../http/server/reply.ts"
import { SandboxMark } from "../http/operations/sandbox-mark.ts"
import { ownPath } from "../pages/paths.ts"
import { sendRedirect } from "../pages/respond.ts"
import type { SessionLimits } from "../pages/signed-sessions.ts"
import { issueText, refusalText } from "./error-pages.ts"
import { sendPage } from "./layout.ts"
import { messagesFor } from "./messages.ts"
import { requestIdsOf } from "./page-context.ts"
import { linkPage } from "./pages/link.ts"
import { signInPage } from "./pages/sign-in.ts"
import { makeShopSessions, type ShopSession } from "./session.ts"

/** A path of the shop's page that a redirect may use. Any other path becomes the first page. */
export const shopPath = ownPath("/app")

/** The owner of the bodies of requests without a session, for the budgets. */
const SIGNED_OUT = "shop"

/** A session, with the branch of its key. */
export interface SignedIn {
  readonly session: ShopSession
  readonly caller: Caller
}

/** Why a sign-in was refused, as the page shows it. */
interface Refusal {
  readonly status: number
  readonly text: string
  readonly answerHeaders?: Readonly<Record<string, string>>
}

const isUnknownLink = (failure: { readonly _tag: string; readonly reason?: unknown }): boolean =>
  failure._tag === "SignInLinkRefused" && failure.reason === "unknown"

const cookie = sessionCookie("sliptrail_shop", "/app")

/** Reads a small form of a request without a session. */
const signedOutForm = (exchange: Exchange) =>
  Effect.scopedWith((scope) =>
    readBody(exchange, { owner: SIGNED_OUT, json: "never", forms: [URLENCODED, MULTIPART] }, scope)
  )

/** Sign-in with an API key, and the sessions that follow. */
export const makeShopAuth = (vault: Vault["Service"], limits: SessionLimits) => {
  const sessions = makeShopSessions(vault, limits)

  const show = Effect.fnUntraced(function* (
    exchange: Exchange,
    path: string,
    { content, title }: ReturnType<typeof linkPage>,
    { answerHeaders = {}, status = 200 }: Partial<Refusal> = {}
  ) {
    const page = { messages: messagesFor(exchange.request), isSandbox: yield* SandboxMark, path, content, title }
    return sendPage(page, status, withAnswerHeaders(exchange, answerHeaders))
  })

  const showSignIn = (exchange: Exchange, to: string, refusal?: Refusal) => {
    const page = signInPage(messagesFor(exchange.request), { to, error: refusal?.text })
    return show(exchange, `/app/sign-in?to=${encodeURIComponent(to)}`, page, refusal)
  }

  const showLink = (exchange: Exchange, token: string, refusal?: Refusal) => {
    const page = linkPage(messagesFor(exchange.request), { token, error: refusal?.text })
    return show(exchange, `/app/link/${encodeURIComponent(token)}`, page, refusal)
  }

  const refusalOf = (exchange: Exchange, failure: Failure): Refusal => {
    const error = toApiError(failure)
    const { issues = [], retryAfterSeconds } = error
    const messages = messagesFor(exchange.request)
    return {
      status: statusOf(error),
      text: [refusalText(messages, error), ...issues.map((issue) => issueText(messages, issue))].join(" "),
      answerHeaders: retryAfter(retryAfterSeconds)
    }
  }

  const rejectSignIn = (exchange: Exchange, to: string) => (failure: Failure) =>
    showSignIn(exchange, to, refusalOf(exchange, failure))

  /** The session of a request; undefined when it has none, when it was signed out, or when its key has ended. */
  const sessionOf = Effect.fnUntraced(function* (exchange: Exchange) {
    const value = yield* cookie.read(exchange)
    const session = value === undefined ? undefined : sessions.read(value, yield* Clock.currentTimeMillis)
    if (session === undefined || (yield* isShopSessionEnded(session.id))) return undefined
    const { authenticateDigest } = yield* Callers
    const caller = yield* Effect.catchTag(
      authenticateDigest(session.keyDigest),
      "CallerRefused",
      (refusal) => refusal.reason === "unknown-key" ? Effect.undefined : Effect.fail(refusal)
    )
    if (caller === undefined) return undefined
    yield* admitCaller(exchange, caller)
    return { session, caller } satisfies SignedIn
  })

  /** Starts a session of a key, and redirects the browser to `to`. */
  const signIn = Effect.fnUntraced(function* (exchange: Exchange, keyDigest: string, to: string) {
    const now = yield* Clock.currentTimeMillis
    return yield* cookie.set(exchange, sendRedirect(to, exchange), sessions.start(keyDigest, now), now)
  })

  return {
    session: sessionOf,
    signIn,
    showSignIn,

    /** The answer to a request of a session. It renews the cookie, so that the idle time begins again. */
    renewed: (exchange: Exchange, session: ShopSession, response: HttpServerResponse.HttpServerResponse) =>
      cookie.renew(exchange, response, (now) => sessions.renew(session, now)),

    redirectToSignIn: (exchange: Exchange) => {
      const target = askedPath(exchange)
      const query = exchange.request.method === "GET" && target !== "/app" ? `?to=${encodeURIComponent(target)}` : ""
      return sendRedirect(`/app/sign-in${query}`, exchange)
    },

    signInWithKey: Effect.fnUntraced(function* (exchange: Exchange) {
      const form = yield* Effect.result(signedOutForm(exchange))
      const { key, to } = Result.isSuccess(form) ? form.success.fields : {}
      const path = shopPath(typeof to === "string" ? to : queryOf(exchange).get("to"))
      if (!isSameOrigin(exchange)) {
        const text = messagesFor(exchange.request).errors.otherSite
        return yield* showSignIn(exchange, path, { status: 403, text })
      }
      // The form holds no key, so none was wrong.
      if (Result.isFailure(form)) return yield* rejectSignIn(exchange, path)(form.failure)
      return yield* callerOfKey(exchange, typeof key === "string" ? key.trim() : "").pipe(
        Effect.tap((caller) => admitCaller(exchange, caller)),
        Effect.flatMap((caller) => signIn(exchange, caller.key.digest, path)),
        Effect.catch(rejectSignIn(exchange, path))
      )
    }),

    showLink,

    /** Redeems a sign-in link for a device that the branch admits, and starts a session of the key that it issued. */
    signInWithLink: Effect.fnUntraced(function* (exchange: Exchange, token: string) {
      const { errors, link: { refused } } = messagesFor(exchange.request)
      if (!isSameOrigin(exchange)) return yield* showLink(exchange, token, { status: 403, text: errors.otherSite })
      const { clientRequestId, requestId: correlationId } = exchange
      const admit = (caller: Caller) => admitCaller(exchange, caller)
      const redeem = redeemSignInLink(token, { correlationId, clientRequestId }, admit)
      const limiter = yield* WrongKeyLimiter
      return yield* (limiter === undefined ? redeem : limitGuesses(exchange, limiter, redeem, isUnknownLink)).pipe(
        Effect.flatMap((keyDigest) => signIn(exchange, keyDigest, "/app")),
        Effect.catchTags({
          SignInLinkRefused: ({ reason }) => showLink(exchange, token, { status: 410, text: refused[reason] }),
          ApiKeyRefused: () => showLink(exchange, token, { status: 410, text: refused["maker-ended"] }),
          ApiKeyNotFound: Effect.die
        }),
        Effect.catch((failure: Failure) => showLink(exchange, token, refusalOf(exchange, failure)))
      )
    }),

    /** Ends the session in every process, and removes the cookie. */
    signOut: Effect.fnUntraced(function* (exchange: Exchange, { caller, session }: SignedIn) {
      const { branchId } = caller
      yield* endShopSession(
        { sessionId: session.id, branchId, expiresAt: session.expiresAt },
        requestIdsOf({ caller, exchange })
      )
      return yield* cookie.remove(exchange, sendRedirect("/app/sign-in", exchange))
    })
  }
}
