import { Cause, Clock, Effect, Exit, Metric, Option } from "effect"
import { waitLeft } from "../../../../domain/waits.ts"
import type { GatewayStatus } from "../../../../ports/gateway-status.ts"
import { GatewayFailure, REFUSED_MILLIS } from "./gateway.ts"

/**
 * A circuit breaker. After five consecutive gateway failures the circuit opens: requests fail at once. Ten seconds
 * later the circuit sends one request, the probe. Its result closes the circuit or opens it for another ten seconds.
 *
 * A failure of a source behind the gateway counts once for each slip: five different slips show that the gateway fails.
 *
 * A gateway that refuses the operator's account opens the circuit at once, for ten minutes. The next request first asks
 * about the account, which is free, and goes on when the gateway accepts it again. A probe that the gateway does not
 * answer accepts nothing: the refusal stands, and the next probe follows ten seconds later.
 *
 * Interrupted requests do not count. Requests that began before the circuit opened do not count after it opened.
 */
export interface Circuit {
  /** For how many milliseconds requests fail at once; 0 when a request would be sent. */
  readonly openMillis: (now: number) => number
  /** Runs the request about a slip, or fails at once while the circuit is open. */
  readonly protect: <A>(request: Effect.Effect<A, GatewayFailure>, slip: string) => Effect.Effect<A, GatewayFailure>
  /**
   * Runs a question about the account, also while the circuit is open. A refusal opens the circuit. An accepted account
   * closes the circuit that a refusal opened. Any other failure changes nothing.
   */
  readonly observe: (account: Effect.Effect<void, GatewayFailure>) => Effect.Effect<void, GatewayFailure>
  /** The failure of a request that is not sent. */
  readonly openFailure: (waitMillis: number) => GatewayFailure
  /** Why requests are not sent, and for how long; undefined while the circuit is closed. */
  readonly pause: (now: number) => GatewayStatus["pause"]
}

export interface CircuitOptions {
  /** The name of the bank in messages. */
  readonly title: string
  /** Checks the account, without a question about a slip. */
  readonly probeAccount: Effect.Effect<void, GatewayFailure>
  /** Runs when the circuit opens or closes, or another refusal keeps it open; `failure` opened it. */
  readonly onChange: (failure: GatewayFailure | undefined) => Effect.Effect<void>
}

const MAX_FAILURES = 5
const OPEN_MILLIS = 10_000
/** The stated delay while a probe runs. */
const PROBE_MILLIS = 1_000

export const makeCircuit = ({ onChange, probeAccount, title }: CircuitOptions): Circuit => {
  /** One key for each consecutive failure that counts. */
  const failures = new Set<string | symbol>()
  /** When the next probe may start. Undefined while the circuit is closed. */
  let probeFrom: number | undefined
  let isProbing = false
  /** The failure that opened the circuit. */
  let opened: GatewayFailure | undefined

  const openMillis = (now: number): number => {
    if (probeFrom === undefined) return 0
    return Math.max(waitLeft(probeFrom, now, REFUSED_MILLIS), isProbing ? PROBE_MILLIS : 0)
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

  const record = Effect.fnUntraced(function* (failure: GatewayFailure | undefined, slip?: string) {
    const before = opened
    const isRefused = failure?.refusal !== undefined
    if (failure === undefined) failures.clear()
    else if (failures.size < MAX_FAILURES) {
      failures.add(failure.concerns === "source" && slip !== undefined ? slip : Symbol("failure"))
    }
    // Without an answer nothing shows that the gateway accepts the account.
    const isUnanswered = failure?.concerns === "gateway" && !isRefused
    const standing = isUnanswered && before?.refusal !== undefined ? before : undefined
    const isOpen = isRefused || standing !== undefined || failures.size >= MAX_FAILURES
    const openFor = isRefused ? REFUSED_MILLIS : OPEN_MILLIS
    probeFrom = isOpen ? (yield* Clock.currentTimeMillis) + openFor : undefined
    opened = isOpen ? standing ?? failure : undefined
    const isChanged = (before === undefined) !== (opened === undefined) || before?.refusal !== opened?.refusal
    if (isChanged) yield* onChange(opened)
  })

  const observe = (account: Effect.Effect<void, GatewayFailure>) =>
    Effect.onExit(account, (exit) => {
      const evidence = evidenceOf(exit)
      if (evidence === undefined) return Effect.void
      const { failure } = evidence
      if (failure === undefined) return opened?.refusal === undefined ? Effect.void : record(undefined)
      return failure.refusal === undefined ? Effect.void : record(failure)
    })

  const pause = (now: number): GatewayStatus["pause"] =>
    opened === undefined ? undefined : { cause: opened.refusal ?? "failures", leftMillis: Math.max(0, openMillis(now)) }

  const protect = <A>(
    request: Effect.Effect<A, GatewayFailure>,
    slip: string
  ): Effect.Effect<A, GatewayFailure> =>
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
          return evidence === undefined || isLate ? Effect.void : record(evidence.failure, slip)
        })
      })
    )

  return { openMillis, openFailure, observe, pause, protect }
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

const CAUSES: ReadonlyArray<string> = ["key", "ip", "account", "quota"]

/** Sets the metrics of a gateway's circuit. `opened` is the failure that opened it. */
export const reportCircuit = (gateway: string, opened: GatewayFailure | undefined): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(circuits, { gateway }), opened === undefined ? 0 : 1),
    Effect.forEach(
      CAUSES,
      (cause) => Metric.update(Metric.withAttributes(refusals, { gateway, cause }), opened?.refusal === cause ? 1 : 0),
      { discard: true }
    )
  )

const circuits = Metric.gauge("sliptrail_gateway_circuit_open", {
  description: "1 while the circuit of the gateway is open in this process"
})
const refusals = Metric.gauge("sliptrail_gateway_refused", {
  description: "1 while the gateway refuses the operator's account in this process, by cause: key, ip, account or quota"
})
