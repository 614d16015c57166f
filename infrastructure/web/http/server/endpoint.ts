import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, Cause, Context, Effect, Layer, Tracer } from "effect"
import {
  type Headers,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { discard } from "../bodies/receive-body.ts"
import { RequestBodies } from "../bodies/request-bodies.ts"
import { isHttps, TrustedProxies } from "./client-address.ts"
import { isExactTarget, pathOfTarget, repeatedHeader } from "./exact-request.ts"
import { isWaitingForContinue } from "./expect-continue.ts"
import { countUnexpected, countUnrouted, makeRouteMetrics } from "./http-metrics.ts"
import { type Envelope, type Reply, v2Envelope } from "./reply.ts"
import { clientRequestIdOf, echoClientRequestId, makeRequestId } from "./request-ids.ts"
import { RequestTracing } from "../../../platform/telemetry/tracing.ts"

/** The default limit of a body: one slip of 4 MB in base64 and the other fields (docs/spec/http.md, "Limits"). */
export const MAX_BODY_BYTES = 6 * 1024 * 1024

/** One request, as a handler receives it. */
export interface Exchange {
  readonly request: HttpServerRequest.HttpServerRequest
  /** The headers of the request. */
  readonly headers: Headers.Headers
  /** Made for this request. Every answer, log line and event of the request contains it. */
  readonly requestId: string
  /** The caller's own id of the request. */
  readonly clientRequestId: string | undefined
  readonly params: Readonly<Record<string, string | undefined>>
  /** The limit of the request's body, in bytes. */
  readonly bodyBytes: number
  /** Headers of the answer, for successes and failures. Each step adds its own. */
  readonly answerHeaders: Record<string, string>
}

/** Browsers use https for this host for a year. Sent only over https. */
const HSTS = "max-age=31536000"

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** Logs and counts an unexpected failure. The log has its cause; the caller gets only the request id. */
const logUnexpected = (cause: Cause.Cause<unknown>, requestId: string, clientRequestId: string | undefined) =>
  Effect.logError("A request failed unexpectedly", cause).pipe(
    Effect.annotateLogs(clientRequestId === undefined ? { requestId } : { requestId, clientRequestId }),
    Effect.andThen(countUnexpected)
  )

/** The code of a failure; undefined when it has none. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Object && "code" in error && typeof error.code === "string" ? error.code : undefined

/**
 * Makes routes whose answers, successes and failures, have one envelope. A handler fails with errors for the caller;
 * every other failure is a defect.
 */
export const endpoints = <E, A = Reply>(envelope: Envelope<E, A>) =>
<R>(
  method: Method,
  path: HttpRouter.PathInput,
  handle: (exchange: Exchange) => Effect.Effect<A | HttpServerResponse.HttpServerResponse, E, R>,
  { bodyBytes = MAX_BODY_BYTES }: { readonly bodyBytes?: number } = {}
) => {
  const route = `${method} ${path}`
  const metrics = makeRouteMetrics(route)
  const bodyLimit = ByteSize.fromInputUnsafe(bodyBytes)

  return Layer.effectDiscard(Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    // Computed once, and replaces the request's own context: merging the two for each request costs more than most
    // handlers.
    const services = Context.add(yield* Effect.context<R>(), HttpIncomingMessage.MaxBodySize, bodyLimit)
    const proxies = yield* TrustedProxies
    const trace = yield* RequestTracing
    /** Of the request's own context, only the span is used. */
    const withSpan = (requestContext: Context.Context<never>) => {
      const span = Context.getOrUndefined(requestContext, Tracer.ParentSpan)
      return span === undefined ? services : Context.add(services, Tracer.ParentSpan, span)
    }
    const contextOf = trace === undefined ? () => services : withSpan
    const respond = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const started = performance.now()
      const { headers } = request
      const requestId = makeRequestId(headers)
      const clientRequestId = clientRequestIdOf(headers)
      const params = yield* HttpRouter.params
      const answerHeaders: Record<string, string> = {}
      const replyContext = { requestId, headers: answerHeaders }
      let code: string | undefined
      const answer = handle({ request, headers, requestId, clientRequestId, params, bodyBytes, answerHeaders }).pipe(
        Effect.updateContext(contextOf),
        Effect.map((reply) =>
          HttpServerResponse.isHttpServerResponse(reply) ? reply : envelope.reply(reply, replyContext)
        ),
        Effect.catchCause((cause) => {
          const [reason] = cause.reasons
          if (cause.reasons.length === 1 && reason !== undefined && Cause.isFailReason(reason)) {
            code = codeOf(reason.error)
            const rest = answerHeaders["connection"] === "close"
              ? Effect.void
              : Effect.updateContext(discardBody(request, headers, bodyBytes), contextOf)
            return Effect.map(rest, () => envelope.error(reason.error, replyContext))
          }
          return Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.map(logUnexpected(cause, requestId, clientRequestId), () =>
              envelope.error(envelope.unexpected, replyContext))
        }),
        Effect.orDie
      )
      const response = yield* trace === undefined ? answer : trace({ method, route: path, requestId, headers })(answer)
      yield* metrics.record(response.status, (performance.now() - started) / 1_000, code)
      const echoed = echoClientRequestId(response, clientRequestId)
      return isHttps({ request, headers }, proxies)
        ? HttpServerResponse.setHeader(echoed, "strict-transport-security", HSTS)
        : echoed
    })
    yield* router.add(method, path, respond)
  }))
}

/** A route in the envelope of v2. */
export const endpoint = endpoints(v2Envelope)

/** The paths below a prefix, and their answers to requests that no route matches. */
export interface RouteNamespace {
  /** Such as `/v1`. */
  readonly prefix: string
  readonly notFound: (requestId: string) => HttpServerResponse.HttpServerResponse
  readonly unexpected: (requestId: string) => HttpServerResponse.HttpServerResponse
  /** A header occurs twice that may occur once. */
  readonly repeated: (header: string, requestId: string) => HttpServerResponse.HttpServerResponse
}

export const routeNamespace = <E, A>(prefix: string, envelope: Envelope<E, A>): RouteNamespace => ({
  prefix,
  notFound: (requestId) => envelope.error(envelope.notFound, { requestId }),
  unexpected: (requestId) => envelope.error(envelope.unexpected, { requestId }),
  repeated: (header, requestId) => envelope.error(envelope.repeated(header), { requestId })
})

const defaultNamespace = routeNamespace("", v2Envelope)

/** Whether a path is below a prefix, in any spelling: the envelope of an inexact path is that of its namespace. */
const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && ["", "/", ";", "#"].includes(path.charAt(prefix.length))

const namespaceOf = (target: string, namespaces: ReadonlyArray<RouteNamespace>): RouteNamespace => {
  const path = pathOfTarget(target).replace(/\/{2,}/gu, "/").toLowerCase()
  return namespaces.find(({ prefix }) => isBelow(path, prefix)) ?? defaultNamespace
}

/** How `layerFallback` expects paths to match: letters, slashes and the end of a path count. */
export const exactRouting = { caseSensitive: true, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false } as const

/** Whether the router found no route. */
const isUnmatched = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) =>
    Cause.isFailReason(reason) && HttpServerError.isHttpServerError(reason.error)
    && reason.error.reason._tag === "RouteNotFound"
  )

/**
 * Answers requests that no endpoint answers: unknown routes, wrong methods, unreadable or inexact paths, and repeated
 * headers. The envelope is that of the request's namespace, and that of v2 outside all namespaces.
 */
export const layerFallback = (namespaces: ReadonlyArray<RouteNamespace>) =>
  HttpRouter.middleware(
    (answer) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const { headers, url } = request
        const refuse = (
          respond: (namespace: RouteNamespace, requestId: string) => HttpServerResponse.HttpServerResponse,
          requestId = makeRequestId(headers)
        ) =>
          Effect.suspend(() => {
            const response = echoClientRequestId(
              respond(namespaceOf(url, namespaces), requestId),
              clientRequestIdOf(headers)
            )
            return Effect.as(countUnrouted(response.status), response)
          })

        const header = repeatedHeader(toIncomingMessage(request).rawHeaders)
        if (header !== undefined) return refuse(({ repeated }, requestId) => repeated(header, requestId))
        if (!isExactTarget(url)) return refuse(({ notFound }, requestId) => notFound(requestId))
        return Effect.catchCause(answer, (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
          if (isUnmatched(cause)) return refuse(({ notFound }, requestId) => notFound(requestId))
          const requestId = makeRequestId(headers)
          return Effect.andThen(
            logUnexpected(cause, requestId, clientRequestIdOf(headers)),
            refuse(({ unexpected }) => unexpected(requestId), requestId)
          )
        })
      }),
    { global: true }
  )

/** The largest unread body that is discarded, unless its route reads more. A larger one closes the connection. */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024

/** The server itself discards unread bodies up to this size, after the answer. */
const SERVER_DISCARDED_BYTES = 64 * 1024

/**
 * Reads and discards the unread part of a body before a refusal is sent. Many clients read no answer until they have
 * sent the whole body: they would see a broken connection instead of the reason. Costs nothing when the body was read.
 */
export const discardBody = (
  request: HttpServerRequest.HttpServerRequest,
  headers: Headers.Headers,
  bodyBytes: number
): Effect.Effect<void> => {
  const maxBytes = Math.max(MAX_DISCARDED_BYTES, bodyBytes)
  const contentLength = Number(headers["content-length"] ?? 0)
  const mustDiscard = headers["transfer-encoding"] !== undefined
    || (contentLength > SERVER_DISCARDED_BYTES && contentLength <= maxBytes)
  if (!mustDiscard) return Effect.void
  const message = toIncomingMessage(request)
  // The caller sends no body after a refusal: this is what it waits for.
  if (isWaitingForContinue(message)) return Effect.void
  // A caller that pauses or has disconnected gets its answer at once.
  return Effect.flatMap(
    RequestBodies,
    ({ discardAllowance: allowance, idleMillis }) => discard(message, { allowance, idleMillis, maxBytes })
  )
}

/** The query of a request. Its target may be a whole URL with an invalid origin, so it is not parsed as a URL. */
export const queryOf = ({ request }: Exchange): URLSearchParams =>
  new URLSearchParams(/^[^?#]*\?([^#]*)/u.exec(request.url)?.[1])
