import { Cause, Clock, Effect, Exit, Metric, Option } from "effect"
import { GatewayFailure, REFUSED_MILLIS } from "./gateway.ts"

/**
 * A circuit breaker. After five consecutive gateway failures the circuit opens: requests fail at once. Ten seconds
 * later the circuit sends one request, the probe. Its result closes the circuit or opens it for another ten seconds.
 *
 * A gateway that refuses the operator's account opens the circuit at once, for ten minutes. The next request first asks
 * about the account, which is free, and goes on when the gateway accepts it again.
 *
 * Interrupted requests do not count. Requests that began before the circuit opened do not count after it opened.
 */
export interface Circuit {
  /** For how many milliseconds requests fail at once; 0 when a request would be sent. */
  readonly openMillis: (now: number) => number
  /** Runs the request, or fails at once while the circuit is open. */
  readonly protect: <A>(request: Effect.Effect<A, GatewayFailure>) => Effect.Effect<A, GatewayFailure>
  /** The failure of a request that is not sent. */
  readonly openFailure: (waitMillis: number) => GatewayFailure
}

export interface CircuitOptions {
  /** The name of the bank in messages. */
  readonly title: string
  /** Checks the account, without a question about a slip. */
  readonly probeAccount: Effect.Effect<void, GatewayFailure>
  /** Runs when the circuit opens or closes; `failure` opened it. */
  readonly onChange: (failure: GatewayFailure | undefined) => Effect.Effect<void>
}

const MAX_FAILURES = 5
const OPEN_MILLIS = 10_000
/** The stated delay while a probe runs. */
const PROBE_MILLIS = 1_000

export const makeCircuit = ({ onChange, probeAccount, title }: CircuitOptions): Circuit => {
  let failures = 0
  /** When the next probe may start. Undefined while the circuit is closed. */
  let probeFrom: number | undefined
  let isProbing = false
  /** The failure that opened the circuit. */
  let opened: GatewayFailure | undefined

  const openMillis = (now: number): number => {
    if (probeFrom === undefined) return 0
    return Math.max(probeFrom - now, isProbing ? PROBE_MILLIS : 0)
  }

  const openFailure = (waitMillis: number): GatewayFailure => {
    const refusal = opened?.refusal
    return new GatewayFailure({
      why: refusal === undefined
        ? `${title} was not asked: its circuit is open after consecutive failures`
        : `${title} was not asked: ${opened?.why}`,
      retryAfterSeconds: Math.ceil(waitMillis / 1_000),
      upstream: null,
      concerns: "gateway",
      ...(refusal === undefined ? {} : { refusal })
    })
  }

  const record = Effect.fnUntraced(function* (failure: GatewayFailure | undefined) {
    const wasOpen = probeFrom !== undefined
    const isRefused = failure?.refusal !== undefined
    failures = failure === undefined ? 0 : failures + 1
    const isOpen = isRefused || failures >= MAX_FAILURES
    const openFor = isRefused ? REFUSED_MILLIS : OPEN_MILLIS
    probeFrom = isOpen ? (yield* Clock.currentTimeMillis) + openFor : undefined
    opened = isOpen ? failure : undefined
    if (isOpen !== wasOpen) yield* onChange(opened)
  })

  const protect = <A>(request: Effect.Effect<A, GatewayFailure>): Effect.Effect<A, GatewayFailure> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const waitMillis = openMillis(now)
        if (waitMillis > 0) return Effect.fail(openFailure(waitMillis))
        const isProbe = probeFrom !== undefined
        isProbing = isProbe
        const probed = opened?.refusal === undefined ? request : Effect.andThen(probeAccount, request)
        return Effect.onExit(restore(probed), (exit) => {
          if (isProbe) isProbing = false
          const evidence = evidenceOf(exit)
          const isLate = probeFrom !== undefined && !isProbe
          return evidence === undefined || isLate ? Effect.void : record(evidence.failure)
        })
      })
    )

  return { openMillis, openFailure, protect }
}

/** What a request shows about its gateway: a failure, or that it works. Undefined when it shows nothing. */
const evidenceOf = (
  exit: Exit.Exit<unknown, GatewayFailure>
): { readonly failure: GatewayFailure | undefined } | undefined => {
  if (Exit.isSuccess(exit)) return { failure: undefined }
  const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (failure === undefined || failure.concerns === "service") return undefined
  return { failure: failure.concerns === "slip" ? undefined : failure }
}

/** Sets the metric of a gateway's circuit. */
export const reportCircuit = (gateway: string, isOpen: boolean): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(circuits, { gateway }), isOpen ? 1 : 0)

const circuits = Metric.gauge("sliptrail_gateway_circuit_open", {
  description: "1 while the circuit of the gateway is open in this process"
})
