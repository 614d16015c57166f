import { Effect, Metric } from "effect"

/** What is measured of the requests of one route. */
export interface RouteMetrics {
  /** `code` is the error code of a failure. */
  readonly answered: (status: number, seconds: number, code: string | undefined) => Effect.Effect<void>
}

/** Series are made once for each route, status and code: to put labels on a metric costs more than to count. */
export const makeRouteMetrics = (route: string): RouteMetrics => {
  const duration = Metric.withAttributes(durations, { route })
  const ofStatus = statusesOf(route)
  return {
    answered: (status, seconds, code) =>
      Effect.withFiber(({ context }) => {
        ofStatus(status).updateUnsafe(1, context)
        duration.updateUnsafe(seconds, context)
        if (code !== undefined) ofCode(code).updateUnsafe(1, context)
        return Effect.void
      })
  }
}

/** A request was answered that no route is for: what callers make up is no label. */
export const answeredWithoutRoute = (status: number): Effect.Effect<void> => Metric.update(ofNoRoute(status), 1)

/** Counts an unexpected failure. */
export const failedUnforeseen: Effect.Effect<void> = Effect.suspend(() => Metric.update(unforeseen, 1))

/** What became of requests with an Idempotency-Key: `reused` is one whose key stands for another request. */
const keyedOutcomes = ["done", "replayed", "in_progress", "reused"] as const
export type KeyedOutcome = typeof keyedOutcomes[number]

/** A request with an Idempotency-Key ended. */
export const countKeyed = (outcome: KeyedOutcome): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(keyed, { outcome }), 1)

/** Puts series there from the start: one that begins with its first event cannot be seen to rise by it. */
export const beginHttpSeries: Effect.Effect<void> = Effect.suspend(() =>
  Effect.andThen(
    Metric.update(unforeseen, 0),
    Effect.forEach(keyedOutcomes, (outcome) => Metric.update(Metric.withAttributes(keyed, { outcome }), 0), {
      discard: true
    })
  )
)

const statusesOf = (route: string) =>
  kept((status: number) => Metric.withAttributes(requests, { route, status: String(status) }))

const kept = <Key, A>(make: (key: Key) => A) => {
  const known = new Map<Key, A>()
  return (key: Key): A => {
    const found = known.get(key) ?? make(key)
    known.set(key, found)
    return found
  }
}

const requests = Metric.counter("sliptrail_http_requests_total", {
  description: "HTTP requests answered, by route and status",
  incremental: true
})
const durations = Metric.histogram("sliptrail_http_request_seconds", {
  description: "Time from the request to its answer, by route",
  boundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})
const errors = Metric.counter("sliptrail_http_errors_total", {
  description: "HTTP requests that were answered with an error, by its code",
  incremental: true
})
const keyed = Metric.counter("sliptrail_idempotent_requests_total", {
  description: "Requests with an Idempotency-Key: done, told again, refused as under way or as another one's key",
  incremental: true
})
const unforeseen = Metric.counter("sliptrail_http_unforeseen_total", {
  description: "HTTP requests that failed unexpectedly: each is a defect of the program",
  incremental: true
})

const ofCode = kept((code: string) => Metric.withAttributes(errors, { code }))
const ofNoRoute = statusesOf("none")
