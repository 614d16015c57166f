import { Effect } from "effect"
import { withVisibility } from "../../../application/provisioning/operator-command.ts"
import type { Scope } from "../../../domain/api-key.ts"
import { Vault } from "../../../ports/vault.ts"
import { statusOf } from "../api/failures.ts"
import { type Failure, toApiError } from "../http/operations/application-failures.ts"
import { MULTIPART, URLENCODED } from "../http/bodies/decode-body.ts"
import { readBody } from "../http/operations/body.ts"
import { isSameOrigin, sendLanguage, withAnswerHeaders } from "../http/server/browser-requests.ts"
import type { Exchange } from "../http/server/endpoint.ts"
import { pathOfTarget } from "../http/server/exact-request.ts"
import { queryOf } from "../http/server/endpoint.ts"
import { retryAfter } from "../http/server/reply.ts"
import { SandboxMark } from "../http/operations/sandbox-mark.ts"
import { markup } from "../pages/html.ts"
import { findEntry, partsOf } from "../pages/paths.ts"
import { sendHtml, sendRedirect, sendStored } from "../pages/respond.ts"
import type { SessionLimits } from "../pages/signed-sessions.ts"
import { isEqual } from "../../platform/sha256.ts"
import { assetAt } from "./assets.ts"
import { failedPage, forbiddenPage, notFoundPage } from "./error-pages.ts"
import { sendManifest, sendServiceWorker } from "./install.ts"
import { sendPage } from "./layout.ts"
import { LANGUAGE_COOKIE, messagesFor } from "./messages.ts"
import type { PageResult, ShopContext } from "./page-context.ts"
import { pages } from "./pages.ts"
import { makeShopAuth, shopPath, type SignedIn } from "./shop-auth.ts"
import { requestContext } from "../http/sites/site-context.ts"

const contextOf = (exchange: Exchange, { caller, session }: SignedIn, isSandbox: boolean): ShopContext => ({
  ...requestContext(exchange),
  messages: messagesFor(exchange.request),
  formToken: session.formToken,
  caller,
  may: (scope: Scope) => caller.key.scopes.includes(scope),
  isSandbox
})

const render = (context: ShopContext, result: PageResult) => {
  const { caller, exchange, formToken, isSandbox, may, messages, path, query } = context
  if (result._tag === "Redirect") return sendRedirect(result.path, exchange)
  if (result._tag === "Fragment") return sendHtml(result.content, 200, exchange)
  const { content, menu, status = 200, title } = result
  const pathAndQuery = query.size === 0 ? path : `${path}?${query.toString()}`
  const session = { caller, formToken, may, menu }
  return sendPage({ messages, title, content, path: pathAndQuery, isSandbox, session }, status, exchange)
}

const renderFailure = (context: ShopContext, failure: Failure) => {
  const error = toApiError(failure)
  const exchange = withAnswerHeaders(context.exchange, retryAfter(error.retryAfterSeconds))
  return render({ ...context, exchange }, failedPage(context, error))
}

type Found = (typeof pages.get)[string] & Pick<ShopContext, "params">

/** Runs a page or the action of a form, if the key of the session has its scope. */
const runAllowed = (context: ShopContext, { params, run, scope }: Found) => {
  if (!context.may(scope)) {
    return Effect.succeed(render(context, forbiddenPage(context, context.messages.errors.scopeMissing[scope])))
  }
  const allowed = { ...context, params }
  return withVisibility(run(allowed)).pipe(
    Effect.map(({ value }) => render(allowed, value)),
    Effect.catch((failure) => Effect.succeed(renderFailure(allowed, failure)))
  )
}

/** The shop's page: `get` answers pages and files, `post` answers forms. All but sign-in and files needs a session. */
export const makeApp = Effect.fnUntraced(function* (limits: SessionLimits) {
  const auth = makeShopAuth(yield* Vault, limits)
  const isSandbox = yield* SandboxMark

  /** A page without a session, for a request whose session cannot be used now. */
  const sendSignedOut = (exchange: Exchange, failure: Failure) => {
    const error = toApiError(failure)
    const messages = messagesFor(exchange.request)
    const { content, title } = failedPage({ exchange, messages }, error)
    return Effect.succeed(
      sendPage(
        { messages, title, content, path: "/app", isSandbox },
        statusOf(error),
        withAnswerHeaders(exchange, retryAfter(error.retryAfterSeconds))
      )
    )
  }

  /** The notice that the service worker keeps. */
  const sendOffline = (exchange: Exchange) => {
    const messages = messagesFor(exchange.request)
    const { again, text, title } = messages.offline
    const content = markup`<h1>${title}</h1><p>${text}</p><p><a class="button primary" href="/app">${again}</a></p>`
    return sendPage({ messages, title, content, path: "/app", isSandbox: false }, 200, exchange)
  }

  const get = Effect.fnUntraced(function* (exchange: Exchange) {
    const path = pathOfTarget(exchange.request.url)
    const file = assetAt(path)
    if (file !== undefined) return sendStored(file, exchange)
    const parts = partsOf(path)
    if (parts[0] === "manifest.webmanifest") return sendManifest(messagesFor(exchange.request), exchange)
    if (parts[0] === "service-worker.js") return sendServiceWorker(exchange)
    if (parts[0] === "offline") return sendOffline(exchange)
    if (parts[0] === "language") return sendLanguage(exchange, LANGUAGE_COOKIE, "/app", parts[1])
    if (parts[0] === "sign-in") return yield* auth.showSignIn(exchange, shopPath(queryOf(exchange).get("to")))
    if (parts[0] === "link") return yield* auth.showLink(exchange, parts[1] ?? "")
    const signedIn = yield* auth.session(exchange)
    if (signedIn === undefined) return auth.redirectToSignIn(exchange)

    const context = contextOf(exchange, signedIn, isSandbox)
    const page = findEntry(pages.get, parts)
    const response = page === undefined ? render(context, notFoundPage(context)) : yield* runAllowed(context, page)
    return yield* auth.renewed(exchange, signedIn.session, response)
  })

  const post = Effect.fnUntraced(function* (exchange: Exchange) {
    const parts = partsOf(pathOfTarget(exchange.request.url))
    if (parts[0] === "sign-in") return yield* auth.signInWithKey(exchange)
    if (parts[0] === "link") return yield* auth.signInWithLink(exchange, parts[1] ?? "")
    const signedIn = yield* auth.session(exchange)
    if (signedIn === undefined) return auth.redirectToSignIn(exchange)

    const { caller, session } = signedIn
    const context = contextOf(exchange, signedIn, isSandbox)
    const { errors } = context.messages
    if (!isSameOrigin(exchange)) return render(context, forbiddenPage(context, errors.otherSite))
    return yield* Effect.scopedWith(Effect.fnUntraced(function* (scope) {
      const body = yield* readBody(
        exchange,
        { owner: caller.branchId, json: "never", forms: [MULTIPART, URLENCODED] },
        scope
      )
      const { csrf, ...fields } = body.fields
      if (typeof csrf !== "string" || !isEqual(csrf, session.formToken)) {
        return render(context, forbiddenPage(context, errors.expired))
      }
      if (parts[0] === "sign-out") return yield* auth.signOut(exchange, signedIn)

      const action = findEntry(pages.post, parts)
      if (action === undefined) return render(context, notFoundPage(context))
      const response = yield* runAllowed({ ...context, fields }, action)
      return yield* auth.renewed(exchange, session, response)
    })).pipe(Effect.catch((failure) => Effect.succeed(renderFailure(context, failure))))
  })

  return {
    get: (exchange: Exchange) => Effect.catch(get(exchange), (failure) => sendSignedOut(exchange, failure)),
    post: (exchange: Exchange) => Effect.catch(post(exchange), (failure) => sendSignedOut(exchange, failure))
  }
})
