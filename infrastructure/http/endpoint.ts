import { ByteSize, Cause, Context, Effect, Layer, Metric } from "effect"
import {
  type Headers,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { randomUUID } from "node:crypto"
import { dropBody } from "./drop-body.ts"
import { type Envelope, type Reply, v2Envelope } from "./reply.ts"

/** Most bytes of a body: one slip of 4 MB in base64 with room for the other fields (contract, Limits). */
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
  /** Headers of the answer, good or bad: whoever learns what they say sets them. */
  readonly answerHeaders: Record<string, string>
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

const requests = Metric.counter("sliptrail_http_requests", {
  description: "HTTP requests answered, by route and status",
  incremental: true
})
const durations = Metric.histogram("sliptrail_http_request_seconds", {
  description: "Time from the request to its answer, by route",
  boundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** A caller's own id is kept if it is harmless to print; otherwise the request gets one. */
const requestIdOf = (headers: Headers.Headers): string => {
  const given = headers["x-request-id"]
  return given !== undefined && /^[\w.:-]{1,64}$/u.test(given) ? given : randomUUID()
}

/** What nobody foresaw: the caller learns nothing of it but the request id, the log everything. */
const unforeseen = (cause: Cause.Cause<unknown>, requestId: string) =>
  Effect.logError("a request failed in a way nobody foresaw", cause).pipe(Effect.annotateLogs({ requestId }))

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
  const counters = new Map<number, Metric.Counter<number>>()
  const counter = (status: number) => {
    const known = counters.get(status)
    if (known !== undefined) return known
    const fresh = Metric.withAttributes(requests, { route, status: String(status) })
    counters.set(status, fresh)
    return fresh
  }
  const duration = Metric.withAttributes(durations, { route })
  const bodyLimit = ByteSize.fromInputUnsafe(bodyBytes)

  return Layer.effectDiscard(Effect.gen(function*() {
    const router = yield* HttpRouter.HttpRouter
    // Made once and put in place of the request's own context: to merge the two for each request would cost more than
    // most handlers do.
    const services = Context.add(yield* Effect.context<R>(), HttpIncomingMessage.MaxBodySize, bodyLimit)
    const respond = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const started = performance.now()
      const { headers } = request
      const requestId = requestIdOf(headers)
      const params = yield* HttpRouter.params
      const answerHeaders: Record<string, string> = {}
      const answering = { requestId, headers: answerHeaders }
      const response = yield* handle({ request, headers, requestId, params, bodyBytes, answerHeaders }).pipe(
        Effect.updateContext((_: Context.Context<never>) => services),
        Effect.map((reply) => HttpServerResponse.isHttpServerResponse(reply) ? reply : envelope.reply(reply, answering)),
        Effect.catchCause((cause) => {
          const [reason] = cause.reasons
          if (cause.reasons.length === 1 && reason !== undefined && Cause.isFailReason(reason)) {
            return Effect.map(dropBody(request, headers, bodyBytes), () => envelope.error(reason.error, answering))
          }
          return Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.map(unforeseen(cause, requestId), () => envelope.error(envelope.unforeseen, answering))
        }),
        Effect.orDie
      )
      yield* Metric.update(counter(response.status), 1)
      yield* Metric.update(duration, (performance.now() - started) / 1_000)
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
          Cause.isFailReason(reason) && HttpServerError.isHttpServerError(reason.error) &&
          reason.error.reason._tag === "RouteNotFound"
        )
        return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
          const requestId = requestIdOf(headers)
          const asked = lookedUp(url)
          const place = territories.find(({ prefix }) => isBelow(asked, prefix)) ?? elsewhere
          return unmatched
            ? Effect.succeed(place.notFound(requestId))
            : Effect.map(unforeseen(cause, requestId), () => place.unforeseen(requestId))
        })
      }),
    { global: true }
  )
