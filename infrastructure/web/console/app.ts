import { Clock, Effect } from "effect"
import { markup } from "../pages/html.ts"
import { makeEndedSessions } from "../../../application/operators/console-sessions.ts"
import { type Act, isAllowed } from "../../../domain/permissions.ts"
import { OperatorAccess } from "../operators/operator-access.ts"
import { withVisibility } from "../../../application/provisioning/operator-command.ts"
import { FORM, makeConsoleAuth } from "./console-auth.ts"
import { failedPage, forbiddenPage, notFoundPage } from "./error-pages.ts"
import { assetAt, renderPage } from "./layout.ts"
import { LANGUAGE_COOKIE, messagesFor } from "./messages.ts"
import { type Allowed, type PageContext, type PageResult, requestIdsOf } from "./page-context.ts"
import { makeOidcSignIn, type OidcConnection } from "./oidc/sign-in.ts"
import { pages } from "./pages.ts"
import { findEntry, partsOf } from "../pages/paths.ts"
import { sendHtml, sendRedirect, sendStored } from "../pages/respond.ts"
import type { SessionLimits } from "../pages/signed-sessions.ts"
import { isEqual } from "../../platform/sha256.ts"
import type { Session } from "./session.ts"
import type { AdminAuth } from "../http/auth/admin-auth.ts"
import type { Failure } from "../http/operations/application-failures.ts"
import { readBody } from "../http/operations/body.ts"
import { isSameOrigin, sendLanguage } from "../http/server/browser-requests.ts"
import type { Exchange } from "../http/server/endpoint.ts"
import { pathOfTarget } from "../http/server/exact-request.ts"
import type { Maintenance } from "../http/operations/maintenance.ts"
import { SandboxMark } from "../http/operations/sandbox-mark.ts"
import { CALLBACK_PATH } from "../../platform/settings/oidc-client.ts"
import { Vault } from "../../../ports/vault.ts"
import { requestContext } from "../http/sites/site-context.ts"

/** Begins a sign-in at the OpenID Connect provider. */
const START_PATH = "/console/login/oidc"

/** The query parameter of a page after a change that requests do not see yet. */
const NOT_VISIBLE = "not-visible"

const withParameter = (path: string, name: string): string => `${path}${path.includes("?") ? "&" : "?"}${name}=1`

const render = (
  { exchange, formToken, isSandbox, messages, operator, pagePath, query }: PageContext,
  result: PageResult,
  isVisible = true
) => {
  if (result._tag === "Redirect") {
    return sendRedirect(isVisible ? result.path : withParameter(result.path, NOT_VISIBLE), exchange)
  }
  if (result._tag === "Fragment") return sendHtml(result.content, 200, exchange)
  const { menu, status = 200, title } = result
  const content = isVisible
    ? result.content
    : markup`<p class="banner bad" role="status">${messages.notVisible}</p>${result.content}`
  const pathAndQuery = query.size === 0 ? pagePath : `${pagePath}?${query.toString()}`
  const search = query.get("q") ?? ""
  return sendHtml(
    renderPage({ messages, title, content, menu, path: pathAndQuery, formToken, search, operator, isSandbox }),
    status,
    exchange
  )
}

const run = <R>(context: PageContext, handler: (context: PageContext) => Effect.Effect<PageResult, Failure, R>) =>
  withVisibility(handler(context)).pipe(
    Effect.catch((error) => Effect.succeed({ value: failedPage(context, error), isVisible: true })),
    Effect.map(({ isVisible, value }) => render(context, value, isVisible && !context.query.has(NOT_VISIBLE)))
  )

type Found = Allowed & Pick<PageContext, "params">

/** The console: `get` answers pages and files, `post` answers forms. All but sign-in and files needs a session. */
export const makeApp = Effect.fnUntraced(function* (
  adminAuth: AdminAuth,
  maintenance: Maintenance,
  limits: SessionLimits,
  oidc: OidcConnection | undefined
) {
  const endedSessions = yield* makeEndedSessions
  const auth = makeConsoleAuth(adminAuth, yield* Vault, limits, endedSessions, oidc?.client.issuer.host)
  const provider = oidc === undefined ? undefined : yield* makeOidcSignIn(oidc, adminAuth, auth)
  const { hasOtherAdmin, operators } = adminAuth
  const access = { endedSessions, hasOtherAdmin, operators }
  const isSandbox = yield* SandboxMark

  /** The act that a path of the console stands for; undefined for a path that every operator may use. */
  const actOf = (path: string): Act | undefined => {
    const parts = partsOf(path)
    if (parts[0] === "logout") return parts[1] === "all" ? "endAllSessions" : undefined
    return (findEntry(pages.post, parts) ?? findEntry(pages.get, parts))?.act
  }

  /** The path of a page. For a form it is the longest part of its path that is a page. */
  const pagePathOf = ({ method, url }: Exchange["request"]): string => {
    const parts = pathOfTarget(url).split("/")
    while (method === "POST" && parts.length > 2 && findEntry(pages.get, partsOf(parts.join("/"))) === undefined) {
      parts.pop()
    }
    return parts.join("/")
  }

  const contextOf = (exchange: Exchange, { formToken, name, role }: Session, now: number): PageContext => ({
    ...requestContext(exchange),
    messages: { ...messagesFor(exchange.request), now },
    pagePath: pagePathOf(exchange.request),
    formToken,
    operator: { name, role },
    may: (path) => {
      const act = actOf(path)
      return act === undefined || isAllowed(role, act)
    },
    isSandbox,
    maintenance
  })

  /** Runs the handler of a page or of a form, if the role may use it. */
  const runAllowed = (context: PageContext, { act, params, run: handle }: Found) =>
    Effect.provideService(
      run({ ...context, params }, (allowed) =>
        Effect.andThen(
          adminAuth.requireAct("console", allowed.operator, act, requestIdsOf(allowed)),
          handle(allowed)
        )),
      OperatorAccess,
      access
    )

  const get = Effect.fnUntraced(function* (exchange: Exchange) {
    const path = pathOfTarget(exchange.request.url)
    const file = assetAt(path)
    if (file !== undefined) return sendStored(file, exchange)
    const parts = partsOf(path)
    if (parts[0] === "language") return sendLanguage(exchange, LANGUAGE_COOKIE, "/console", parts[1])
    const session = yield* auth.session(exchange)
    if (path === START_PATH && provider !== undefined) return yield* provider.start(exchange, session)
    if (path === CALLBACK_PATH && provider !== undefined) return yield* provider.callback(exchange, session)
    if (parts[0] === "login") return yield* auth.showLogin(exchange, session)
    if (session === undefined) return auth.redirectToLogin(exchange)

    const context = contextOf(exchange, session, yield* Clock.currentTimeMillis)
    const page = findEntry(pages.get, parts)
    const response = page === undefined ? render(context, notFoundPage(context)) : yield* runAllowed(context, page)
    return yield* auth.renewed(exchange, session, response)
  })

  const post = Effect.fnUntraced(function* (exchange: Exchange) {
    const parts = partsOf(pathOfTarget(exchange.request.url))
    if (parts[0] === "login") return yield* auth.login(exchange)
    const session = yield* auth.session(exchange)
    if (session === undefined) return auth.redirectToLogin(exchange)

    const context = contextOf(exchange, session, yield* Clock.currentTimeMillis)
    const { errors, login } = context.messages
    if (!isSameOrigin(exchange)) return render(context, forbiddenPage(context, login.otherSite))
    const body = yield* Effect.scopedWith((scope) => Effect.result(readBody(exchange, FORM, scope)))
    if (body._tag === "Failure") return render(context, failedPage(context, body.failure))
    const { csrf, ...fields } = body.success.fields
    if (typeof csrf !== "string" || !isEqual(csrf, session.formToken)) {
      return render(context, forbiddenPage(context, errors.expired))
    }
    if (parts[0] === "logout") {
      const which = parts[1] === "all" ? "all" : "this"
      const allowed = which === "all"
        ? adminAuth.requireAct("console", context.operator, "endAllSessions", requestIdsOf(context))
        : Effect.void
      return yield* Effect.andThen(allowed, auth.logout(exchange, session, which, requestIdsOf(context))).pipe(
        Effect.catch((error) => Effect.succeed(render(context, failedPage(context, error))))
      )
    }

    const action = findEntry(pages.post, parts)
    if (action === undefined) return render(context, notFoundPage(context))
    const response = yield* runAllowed({ ...context, fields }, action)
    return yield* auth.renewed(exchange, session, response)
  })

  return { get, post }
})
