import { Effect, Metric } from "effect"
import { counterSeries } from "../../../platform/telemetry/metrics.ts"

/** The metrics of one route. */
export interface RouteMetrics {
  /** Records an answer; `code` is the error code of a failure. */
  readonly record: (status: number, seconds: number, code: string | undefined) => Effect.Effect<void>
}

/** Makes each series once for a route, status and code. */
export const makeRouteMetrics = (route: string): RouteMetrics => {
  const duration = durationsOf(route)
  const counterOf = requestsByStatus(route)
  return {
    record: (status, seconds, code) =>
      Effect.withFiber(({ context }) => {
        counterOf(status).updateUnsafe(1, context)
        duration.updateUnsafe(seconds, context)
        if (code !== undefined) errorsByCode(code).updateUnsafe(1, context)
        return Effect.void
      })
  }
}

/** Counts a request without a route. Its path is not a label: callers could create series without limit. */
export const countUnrouted = (status: number): Effect.Effect<void> => Metric.update(unroutedByStatus(status), 1)

/** Counts an unexpected failure. */
export const countUnexpected: Effect.Effect<void> = Effect.suspend(() => Metric.update(unexpected, 1))

/** Outcomes of requests with an Idempotency-Key. `reused`: the key belongs to a different request. */
const keyedOutcomes = ["done", "replayed", "in_progress", "reused"] as const
export type KeyedOutcome = typeof keyedOutcomes[number]

/** Counts a request with an Idempotency-Key when it ends. */
export const countKeyed = (outcome: KeyedOutcome): Effect.Effect<void> =>
  Metric.update(counterSeries(keyed, { outcome }), 1)

/** The surfaces that operators use. */
const adminSurfaces = ["api", "console"] as const
export type AdminSurface = typeof adminSurfaces[number]

const adminRefusalReasons = ["wrong-token", "wrong-sign-in", "paused"] as const

const adminRefusalsOf = (surface: AdminSurface, reason: typeof adminRefusalReasons[number]) =>
  counterSeries(adminRefusals, { surface, reason: reason.replaceAll("-", "_") })

/** Counts a refused admin token, or a refused answer of the OpenID Connect provider. */
export const countAdminRefusal = (...labels: Parameters<typeof adminRefusalsOf>): Effect.Effect<void> =>
  Effect.suspend(() => Metric.update(adminRefusalsOf(...labels), 1))

const roleRefusalsOf = (surface: AdminSurface) => counterSeries(roleRefusals, { surface })

/** Counts an operator that was refused because of a missing role. */
export const countRoleRefusal = (surface: AdminSurface): Effect.Effect<void> =>
  Effect.suspend(() => Metric.update(roleRefusalsOf(surface), 1))

const keyRefusalReasons = ["wrong-key", "paused"] as const

/** Counts a refused API key. */
export const countKeyRefusal = (reason: typeof keyRefusalReasons[number]): Effect.Effect<void> =>
  Effect.suspend(() => Metric.update(keyRefusalsOf(reason), 1))

/** Starts series at 0: a series that starts with its first event shows no increase. */
export const beginHttpSeries: Effect.Effect<void> = Effect.suspend(() =>
  Effect.andThen(
    Metric.update(unexpected, 0),
    Effect.forEach([
      ...keyedOutcomes.map((outcome) => counterSeries(keyed, { outcome })),
      ...adminSurfaces.flatMap((surface) => adminRefusalReasons.map((reason) => adminRefusalsOf(surface, reason))),
      ...adminSurfaces.map(roleRefusalsOf),
      ...keyRefusalReasons.map(keyRefusalsOf)
    ], (series) =>
      Metric.update(series, 0), { discard: true })
  )
)

const requestsByStatus = (route: string) =>
  memoize((status: number) => counterSeries(requests, { route, status: String(status) }))

const memoize = <Key, A>(make: (key: Key) => A) => {
  const cached = new Map<Key, A>()
  return (key: Key): A => {
    const value = cached.get(key) ?? make(key)
    cached.set(key, value)
    return value
  }
}

const requests = Metric.counter("sliptrail_http_requests_total", {
  description: "HTTP requests answered, by route and status",
  incremental: true
})
const durationsOf = (route: string) =>
  Metric.histogram("sliptrail_http_request_seconds", {
    description: "Time from the request to its answer, by route",
    boundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    attributes: { route }
  })
const errors = Metric.counter("sliptrail_http_errors_total", {
  description: "HTTP requests that were answered with an error, by its code",
  incremental: true
})
const keyed = Metric.counter("sliptrail_idempotent_requests_total", {
  description: "Requests with an Idempotency-Key, by outcome: done, replayed, in_progress, reused",
  incremental: true
})
const unexpected = Metric.counter("sliptrail_http_unforeseen_total", {
  description: "HTTP requests that failed unexpectedly: each is a defect of the program",
  incremental: true
})

const adminRefusals = Metric.counter("sliptrail_admin_refusals_total", {
  description:
    "Sign-ins refused by admin API and console: wrong tokens, wrong answers of the OpenID Connect provider, and requests of addresses that must wait",
  incremental: true
})
const roleRefusals = Metric.counter("sliptrail_role_refusals_total", {
  description: "Requests of operators that admin API and console refused because of a missing role",
  incremental: true
})
const keyRefusals = Metric.counter("sliptrail_api_key_refusals_total", {
  description: "API keys refused: wrong keys, and unknown keys of addresses that must wait",
  incremental: true
})

const errorsByCode = memoize((code: string) => counterSeries(errors, { code }))
const keyRefusalsOf = memoize((reason: typeof keyRefusalReasons[number]) =>
  counterSeries(keyRefusals, { reason: reason.replaceAll("-", "_") })
)
const unroutedByStatus = requestsByStatus("none")
