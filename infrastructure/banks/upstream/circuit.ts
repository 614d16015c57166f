import { Cause, Clock, Effect, Exit, Metric, Option } from "effect"
import { gatewayFailed, type GatewayFailure } from "./gateway.ts"

/**
 * A circuit breaker. After five consecutive gateway failures the circuit opens: requests fail at once. Ten seconds
 * later the circuit sends one request, the probe. Its result closes the circuit or opens it for another ten seconds.
 *
 * Interrupted requests do not count. Requests that began before the circuit opened do not count after it opened.
 */
export interface Circuit {
  /** For how many milliseconds requests fail at once; 0 when a request would be sent. */
  readonly openMillis: (now: number) => number
  /** Runs the request, or fails at once while the circuit is open. */
  readonly protect: <A>(request: Effect.Effect<A, GatewayFailure>) => Effect.Effect<A, GatewayFailure>
}

const MAX_FAILURES = 5
const OPEN_MILLIS = 10_000
/** The stated delay while a probe runs. */
const PROBE_MILLIS = 1_000

/** `title` names the bank in messages. `onChange` runs when the circuit opens or closes. */
export const makeCircuit = (title: string, onChange: (isOpen: boolean) => Effect.Effect<void>): Circuit => {
  let failures = 0
  /** When the next probe may start. Undefined while the circuit is closed. */
  let probeFrom: number | undefined
  let isProbing = false

  const openMillis = (now: number): number => {
    if (probeFrom === undefined) return 0
    return Math.max(probeFrom - now, isProbing ? PROBE_MILLIS : 0)
  }

  const record = Effect.fnUntraced(function* (isSuccess: boolean) {
    const wasOpen = probeFrom !== undefined
    failures = isSuccess ? 0 : failures + 1
    const isOpen = failures >= MAX_FAILURES
    probeFrom = isOpen ? (yield* Clock.currentTimeMillis) + OPEN_MILLIS : undefined
    if (isOpen !== wasOpen) yield* onChange(isOpen)
  })

  const protect = <A>(request: Effect.Effect<A, GatewayFailure>): Effect.Effect<A, GatewayFailure> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const waitMillis = openMillis(now)
        if (waitMillis > 0) return Effect.fail(circuitOpen(title, waitMillis))
        const isProbe = probeFrom !== undefined
        isProbing = isProbe
        return Effect.onExit(restore(request), (exit) => {
          if (isProbe) isProbing = false
          const isSuccess = gatewayWorks(exit)
          const isLate = probeFrom !== undefined && !isProbe
          return isSuccess === undefined || isLate ? Effect.void : record(isSuccess)
        })
      })
    )

  return { openMillis, protect }
}

/** The failure of a request that an open circuit refuses. */
export const circuitOpen = (title: string, waitMillis: number): GatewayFailure =>
  gatewayFailed(
    `${title} was not asked: its circuit is open after consecutive failures`,
    null,
    Math.ceil(waitMillis / 1_000)
  )

/** Whether a request shows that the gateway works; undefined when its result says nothing about the gateway. */
const gatewayWorks = (exit: Exit.Exit<unknown, GatewayFailure>): boolean | undefined => {
  if (Exit.isSuccess(exit)) return true
  const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return failure === undefined || failure.concerns === "service" ? undefined : failure.concerns === "slip"
}

/** Sets the metric of a gateway's circuit. */
export const reportCircuit = (gateway: string, isOpen: boolean): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(circuits, { gateway }), isOpen ? 1 : 0)

const circuits = Metric.gauge("sliptrail_gateway_circuit_open", {
  description: "1 while the circuit of the gateway is open in this process"
})
