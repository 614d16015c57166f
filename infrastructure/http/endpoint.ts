import { ByteSize, Cause, Context, Effect, Layer, Stream, Tracer } from "effect"
import {
  type Headers,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { randomUUID } from "node:crypto"
import { answeredWithoutRoute, failedUnforeseen, makeRouteMetrics } from "./http-metrics.ts"
import { type Envelope, type Reply, v2Envelope } from "./reply.ts"
import { isRequestId, parseTraceparent, requestIdIn } from "../telemetry/trace-ids.ts"
import { RequestTracing } from "../telemetry/tracing.ts"

/** Most bytes of a body: one slip of 4 MB in base64 with room for the other fields (docs/spec/http.md, "Limits"). */
export const BODY_BYTES = 6 * 1024 * 1024

/** One request as an endpoint sees it. */
export interface Exchange {
  readonly request: HttpServerRequest.HttpServerRequest
  /** Of the request, made once: the request makes them anew at every look. */
  readonly headers: Headers.Headers
  /** Goes into every answer, log line and event of the request. */
  readonly requestId: string
  readonly params: Readonly<Record<string, string | undefined>>
  /** Most bytes of its body. */
  readonly bodyBytes: number
  /** Headers of the answer, of a success or a failure. Each step adds its own. */
  readonly answerHeaders: Record<string, string>
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/**
 * A caller's own id is kept if it can be one. Otherwise the request gets one, which has the trace in it that
 * its caller is in (W3C Trace Context): by that alone whatever comes of the request later is put into the same trace.
 */
const requestIdOf = (headers: Headers.Headers): string => {
  const given = headers["x-request-id"]
  if (given !== undefined && isRequestId(given)) return given
  const caller = parseTraceparent(headers["traceparent"])
  return caller === undefined ? randomUUID() : requestIdIn(caller)
}

/** An unexpected failure: the caller gets the request id only, the log gets the cause. */
const unforeseen = (cause: Cause.Cause<unknown>, requestId: string) =>
  Effect.logError("A request failed unexpectedly", cause).pipe(
    Effect.annotateLogs({ requestId }),
    Effect.andThen(failedUnforeseen)
  )

/** The code of a failure that has one. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Object && "code" in error && typeof error.code === "string" ? error.code : undefined

/**
 * Makes routes whose answers, good and bad, all have one envelope. A handler fails with what the caller should know;
 * everything else is a defect.
 */
export const endpoints = <E, A = Reply>(envelope: Envelope<E, A>) =>
<R>(
  method: Method,
  path: HttpRouter.PathInput,
  handle: (exchange: Exchange) => Effect.Effect<A | HttpServerResponse.HttpServerResponse, E, R>,
  { bodyBytes = BODY_BYTES }: { readonly bodyBytes?: number } = {}
) => {
  const route = `${method} ${path}`
  const metrics = makeRouteMetrics(route)
  const bodyLimit = ByteSize.fromInputUnsafe(bodyBytes)

  return Layer.effectDiscard(Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    // Made once and put in place of the request's own context: to merge the two for each request would cost more than
    // most handlers do.
    const services = Context.add(yield* Effect.context<R>(), HttpIncomingMessage.MaxBodySize, bodyLimit)
    const serve = yield* RequestTracing
    /** Of what a request's own context has, only its span is kept. */
    const inSpan = (own: Context.Context<never>) => {
      const span = Context.getOrUndefined(own, Tracer.ParentSpan)
      return span === undefined ? services : Context.add(services, Tracer.ParentSpan, span)
    }
    const within = serve === undefined ? () => services : inSpan
    const respond = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const started = performance.now()
      const { headers } = request
      const requestId = requestIdOf(headers)
      const params = yield* HttpRouter.params
      const answerHeaders: Record<string, string> = {}
      const answering = { requestId, headers: answerHeaders }
      let code: string | undefined
      const answer = handle({ request, headers, requestId, params, bodyBytes, answerHeaders }).pipe(
        Effect.updateContext(within),
        Effect.map((reply) =>
          HttpServerResponse.isHttpServerResponse(reply) ? reply : envelope.reply(reply, answering)
        ),
        Effect.catchCause((cause) => {
          const [reason] = cause.reasons
          if (cause.reasons.length === 1 && reason !== undefined && Cause.isFailReason(reason)) {
            code = codeOf(reason.error)
            return Effect.map(dropBody(request, headers, bodyBytes), () => envelope.error(reason.error, answering))
          }
          return Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.map(unforeseen(cause, requestId), () => envelope.error(envelope.unforeseen, answering))
        }),
        Effect.orDie
      )
      const response = yield* serve === undefined ? answer : serve({ method, route: path, requestId, headers })(answer)
      yield* metrics.answered(response.status, (performance.now() - started) / 1_000, code)
      return response
    })
    yield* router.add(method, path, respond)
  }))
}

/** A route in the envelope of v2. */
export const endpoint = endpoints(v2Envelope)

/** The envelope of whatever is asked for below a path. */
export interface Territory {
  /** Such as `/v1`. */
  readonly prefix: string
  readonly notFound: (requestId: string) => HttpServerResponse.HttpServerResponse
  readonly unforeseen: (requestId: string) => HttpServerResponse.HttpServerResponse
}

export const territory = <E, A>(prefix: string, envelope: Envelope<E, A>): Territory => ({
  prefix,
  notFound: (requestId) => envelope.error(envelope.notFound, { requestId }),
  unforeseen: (requestId) => envelope.error(envelope.unforeseen, { requestId })
})

const elsewhere = territory("", v2Envelope)

/** A URL as routes are found by it: in any case, with single slashes. */
const lookedUp = (url: string): string => url.replace(/\/{2,}/gu, "/").toLowerCase()

const isBelow = (url: string, prefix: string): boolean =>
  url.startsWith(prefix) && ["", "/", "?", ";", "#"].includes(url.charAt(prefix.length))

/**
 * What no endpoint answers: unknown routes, wrong methods, unreadable paths. It has an envelope too: that of its
 * territory, and outside of them all that of v2.
 */
export const layerFallback = (territories: ReadonlyArray<Territory>) =>
  HttpRouter.middleware(
    (answer) =>
      Effect.catchCause(answer, (cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
        const unmatched = cause.reasons.some((reason) =>
          Cause.isFailReason(reason) && HttpServerError.isHttpServerError(reason.error)
          && reason.error.reason._tag === "RouteNotFound"
        )
        return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
          const requestId = requestIdOf(headers)
          const asked = lookedUp(url)
          const place = territories.find(({ prefix }) => isBelow(asked, prefix)) ?? elsewhere
          const answer = unmatched
            ? Effect.succeed(place.notFound(requestId))
            : Effect.map(unforeseen(cause, requestId), () => place.unforeseen(requestId))
          return Effect.tap(answer, ({ status }) => answeredWithoutRoute(status))
        })
      }),
    { global: true }
  )

/** An unread body that is larger than this, and than its route reads, closes the connection. */
const MOST_DROPPED_BYTES = 32 * 1024 * 1024

/** Up to here the server does it by itself, after the answer. */
const DROPPED_ANYWAY_BYTES = 64 * 1024

/**
 * Reads what is left of a body and forgets it, before a refusal is sent: many clients look for no answer until they have
 * sent all of theirs, and would see a broken connection instead of the reason. A body that was read costs nothing here.
 */
export const dropBody = (
  request: HttpServerRequest.HttpServerRequest,
  headers: Headers.Headers,
  bodyBytes: number
): Effect.Effect<void> => {
  const most = Math.max(MOST_DROPPED_BYTES, bodyBytes)
  const announced = Number(headers["content-length"] ?? 0)
  const isWorthIt = headers["transfer-encoding"] !== undefined
    || (announced > DROPPED_ANYWAY_BYTES && announced <= most)
  if (!isWorthIt) return Effect.void
  return request.stream.pipe(
    Stream.mapAccum(() => 0, (before, chunk) => [before + chunk.length, [before + chunk.length]] as const),
    Stream.takeWhile((read) => read <= most),
    Stream.runDrain,
    // A caller that goes away in the middle reads no answer.
    Effect.ignore
  )
}
