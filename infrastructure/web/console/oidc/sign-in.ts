import { Clock, Effect, Result, Semaphore } from "effect"
import { bindOidcName } from "../../../../application/operators/bind-oidc-name.ts"
import { makeRecordRefusedSignIn } from "../../../../application/operators/require-act.ts"
import { Vault } from "../../../../ports/vault.ts"
import type { AdminAuth } from "../../http/auth/admin-auth.ts"
import type { Exchange } from "../../http/server/endpoint.ts"
import { queryOf } from "../../http/server/endpoint.ts"
import { SandboxMark } from "../../http/operations/sandbox-mark.ts"
import { sendHtml, sendRedirect } from "../../pages/respond.ts"
import type { OidcClient } from "../../../platform/settings/oidc-client.ts"
import { type ConsoleAuth, consolePath, type RejectedLogin } from "../console-auth.ts"
import { renderSignedIn } from "../login-page.ts"
import { type Messages, messagesFor, messagesIn } from "../messages.ts"
import { requestIdsOf } from "../page-context.ts"
import { isEqual } from "../../../platform/sha256.ts"
import type { Session } from "../session.ts"
import { operatorOf } from "./claims.ts"
import type { SendRequest } from "./egress-fetch.ts"
import type { OidcFailed } from "./oidc-failure.ts"
import { makeOidcProvider } from "./provider.ts"
import { makeStartedSignIns, newSignIn, type StartedSignIn } from "./started-sign-in.ts"

/** The operator's provider, and the way to it. */
export interface OidcConnection {
  readonly client: OidcClient
  /** Reaches private networks too: the operator chose the provider. */
  readonly send: SendRequest
}

/** Answers that are checked at the same time. The limits of wrong tokens count an answer only when it is checked. */
const CONCURRENT_ANSWERS = 8

/** Answers of strangers that could guess a code or forge a token count as wrong tokens do. */
const GUESSES: ReadonlySet<OidcFailed["reason"]> = new Set(["wrong-code", "wrong-token"])

/** Failed sign-ins that a process logs within a minute. */
const MAX_LOGGED = 60
const LOG_WINDOW_MILLIS = 60_000

const isAnswerTo = ({ state }: StartedSignIn, answer: URLSearchParams): boolean => {
  const [given = "", ...more] = answer.getAll("state")
  return more.length === 0 && isEqual(given, state)
}

/** Bounds the log: any stranger can start sign-ins that fail. Times are in milliseconds since 1970. */
const makeLogLimit = () => {
  let window = { since: 0, count: 0 }
  return (now: number): boolean => {
    if (now - window.since >= LOG_WINDOW_MILLIS) window = { since: now, count: 0 }
    window.count += 1
    return window.count <= MAX_LOGGED
  }
}

/** Sign-in at the OpenID Connect provider: authorization code with PKCE (docs/decisions/0035-openid-connect.md). */
export const makeOidcSignIn = Effect.fnUntraced(function* (
  { client, send }: OidcConnection,
  { admit }: Pick<AdminAuth, "admit">,
  auth: Pick<ConsoleAuth, "rejectLogin" | "rejectRefused" | "signIn">
) {
  const provider = yield* makeOidcProvider(client, send)
  const { clear, recall, remember } = makeStartedSignIns(yield* Vault)
  const recordRefusedSignIn = yield* makeRecordRefusedSignIn
  const answers = yield* Semaphore.make(CONCURRENT_ANSWERS)
  const { host } = client.issuer

  /** The page for a failed sign-in. */
  const pageOf = (
    { reason }: OidcFailed,
    { login }: Messages,
    { requestId }: Exchange
  ): Pick<RejectedLogin, "error" | "status"> =>
    ({
      "away": { status: 503, error: login.providerAway(host) },
      "denied": { status: 403, error: login.denied(host) },
      "wrong-code": { status: 400, error: login.wrongCode(host) },
      "wrong-token": { status: 502, error: login.notProven(host, requestId) },
      "misconfigured": { status: 502, error: login.misconfigured(host, requestId) }
    })[reason]

  const mayLog = makeLogLimit()
  const log = Effect.fnUntraced(function* ({ detail, reason }: OidcFailed) {
    if (!mayLog(yield* Clock.currentTimeMillis)) return
    yield* Effect.annotateLogs(Effect.logWarning(`Sign-in at ${host} failed`), { reason, detail })
  })

  /** Checks the answer of the provider to a sign-in that this browser started. */
  const finish = Effect.fnUntraced(function* (exchange: Exchange, started: StartedSignIn) {
    const { failed, succeeded } = yield* admit("console", exchange)
    const messages = messagesIn(started.language)
    const reject = (page: RejectedLogin) => auth.rejectLogin(exchange, started.to, { ...page, messages })
    const claims = yield* Effect.result(provider.claims(queryOf(exchange), started))
    if (Result.isFailure(claims)) {
      yield* log(claims.failure)
      if (GUESSES.has(claims.failure.reason)) yield* failed("wrong-sign-in", "Refused an answer of the provider")
      return yield* reject(pageOf(claims.failure, messages, exchange))
    }
    // Of the ID token: the library refuses one without it.
    const subject = String(claims.success["sub"])
    const recordRefused = (name: string, reason?: "name-taken") =>
      recordRefusedSignIn({ name, subject, reason }, requestIdsOf({ exchange, operator: { name, role: "support" } }))
    const operator = operatorOf(client, claims.success)
    if (Result.isFailure(operator)) {
      const fault = operator.failure
      if (fault._tag === "NoName") {
        return yield* reject({ status: 403, error: messages.login.noName(host, client.nameClaim) })
      }
      if (fault._tag === "UnmarkedEmail") {
        return yield* reject({ status: 403, error: messages.login.unmarkedEmail(host) })
      }
      yield* recordRefused(fault.name)
      return yield* reject({ status: 403, error: messages.login.noRole(fault.name) })
    }
    const { name } = operator.success
    const identity = { issuer: client.issuer.href, subject }
    const bound = yield* Effect.result(
      bindOidcName(name, identity, requestIdsOf({ exchange, operator: operator.success }))
    )
    if (Result.isFailure(bound)) {
      if (bound.failure._tag !== "OidcNameTaken") {
        return yield* reject({ status: 503, error: messages.login.unavailable })
      }
      yield* recordRefused(name, "name-taken")
      return yield* reject({ status: 403, error: messages.login.nameTaken(name, host) })
    }

    // Only now: at some providers strangers have accounts, which must not forgive wrong tokens.
    yield* succeeded

    // The request came from the provider's site. After a redirect it would still count as coming from there, and the
    // browser would not send the session cookie, which is SameSite=Strict. This page continues as the console's own.
    const { to } = started
    const page = renderSignedIn(messages, { isSandbox: yield* SandboxMark, name, to })
    const signedIn = sendHtml(page, 200, { ...exchange, answerHeaders: { refresh: `0;url=${to}` } })
    return yield* auth.signIn(exchange, { ...operator.success, source: "oidc" }, to, { answer: signedIn, messages })
  })

  return {
    /** Sends the browser to the provider. */
    start: Effect.fnUntraced(function* (exchange: Exchange, session: Session | undefined) {
      const to = consolePath(queryOf(exchange).get("to"))
      if (session !== undefined) return sendRedirect(to, exchange)
      const messages = messagesFor(exchange.request)
      const started = newSignIn({ to, language: messages.language }, yield* Clock.currentTimeMillis)
      const url = yield* Effect.result(provider.authorizationUrl(started))
      if (Result.isSuccess(url)) return yield* remember(exchange, sendRedirect(url.success.href, exchange), started)
      yield* log(url.failure)
      return yield* auth.rejectLogin(exchange, to, pageOf(url.failure, messages, exchange))
    }),

    /** Answers the browser that comes back from the provider. */
    callback: Effect.fnUntraced(function* (exchange: Exchange, session: Session | undefined) {
      const started = yield* recall(exchange)
      // Any site can send the browser here with another state: it neither ends the started sign-in nor counts.
      if (started === undefined || !isAnswerTo(started, queryOf(exchange))) {
        // For example, the person has gone back to the page of a sign-in that succeeded.
        if (session !== undefined) return sendRedirect("/console", exchange)
        const messages = started === undefined ? messagesFor(exchange.request) : messagesIn(started.language)
        const error = messages.login.startAgain(client.redirectUrl.origin)
        return yield* auth.rejectLogin(exchange, started?.to ?? "/console", { status: 400, error, messages })
      }
      const answer = yield* Semaphore.withPermits(answers, 1)(finish(exchange, started)).pipe(
        Effect.catchTag(
          "AdminRefused",
          (refused) => auth.rejectRefused(exchange, started.to, refused, messagesIn(started.language))
        )
      )
      return yield* clear(exchange, answer)
    })
  }
})
