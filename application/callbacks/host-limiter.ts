import { Clock, Effect } from "effect"
import { callbackSets, hostRows } from "../../projections/models/callbacks.ts"
import type { Limiter, Permit } from "../processes/limiter.ts"

/** The recent failures of a host, from the read model. */
export interface HostHistory {
  /** Consecutive failures. */
  readonly failures: number
  /** Milliseconds since 1970. */
  readonly lastFailureAt: number
}

/**
 * The callbacks that failed at a host since its last success and have not ended. Undefined while the read model is
 * unavailable.
 */
export const hostHistory = Effect.fnUntraced(function* (host: string) {
  const row = yield* hostRows.get(host)
  const since = row === undefined ? -Infinity : Date.parse(row.lastOkAt)
  const failed = (from: number, limit: number) =>
    callbackSets.failing(host).members(Number.isFinite(from) ? { from, limit } : { limit })
      .pipe(Effect.map((found) => found.filter(({ score }) => score > since)))
  const first = yield* failed(since, MAX_FIRST_FAILURES)
  const recent = yield* failed(Math.max(since, (yield* Clock.currentTimeMillis) - RECENT_MILLIS), MAX_RECENT_FAILURES)
  const last = recent.at(-1) ?? first.at(-1)
  const history: HostHistory = { failures: first.length, lastFailureAt: last?.score ?? 0 }
  return history
}, Effect.catchTag("ReadModelsError", () => Effect.undefined))

/** More than `MAX_FAILURES`, because failures in the same millisecond as the last answer are removed. */
const MAX_FIRST_FAILURES = 20
/** The recent failures include the last one, unless there are so many that its exact time does not matter. */
const RECENT_MILLIS = 60_000
const MAX_RECENT_FAILURES = 256

export interface HostLimiterOptions {
  /**
   * Successes until a host gets one more slot, up to 8 slots; 0 gives all 8 at once. Exchanges in flight are sent again
   * after a crash, so a process that crashes repeatedly must not have many of them.
   */
  readonly successesPerSlot: number
  /** Undefined when the history is unavailable: the host counts as healthy and its history is read again later. */
  readonly historyOf: (host: string) => Effect.Effect<HostHistory | undefined>
  /** Called when the circuit of a host opens or closes. */
  readonly onCircuit: (host: string, isOpen: boolean) => Effect.Effect<void>
}

interface Host {
  readonly isHistoryKnown: boolean
  running: number
  /** Successes since this process first called the host. */
  successes: number
  /** Consecutive failures. */
  failures: number
  /** The circuit is open; from this time on one probe may run. Undefined while the circuit is closed. */
  probeFrom: number | undefined
  isProbing: boolean
}

export interface HostLimiter extends Limiter {
  /** Whether the host has no free slot, because it is paused or busy. */
  readonly isBusy: (host: string, now: number) => boolean
}

/**
 * Limits concurrent callbacks for each host: at most 8, and fewer at first. Ten consecutive failures open the circuit
 * of a host: only one probe every 30 seconds runs until one succeeds. There is no limit for all hosts together, because
 * a few slow hosts would use it up. Rule: docs/spec/http.md, "Callback".
 */
export const makeHostLimiter = ({ historyOf, onCircuit, successesPerSlot }: HostLimiterOptions): HostLimiter => {
  const hosts = new Map<string, Host>()

  const slotsOf = ({ successes }: Host): number =>
    successesPerSlot === 0 ? MAX_SLOTS : Math.min(MAX_SLOTS, 1 + Math.floor(successes / successesPerSlot))

  const loadHost = Effect.fnUntraced(function* (name: string) {
    const history = yield* historyOf(name)
    const current = hosts.get(name)
    if (current !== undefined && !needsHistory(current)) return current
    const isOpen = history !== undefined && history.failures >= MAX_FAILURES
    const host: Host = {
      isHistoryKnown: history !== undefined,
      running: 0,
      successes: current?.successes ?? 0,
      failures: Math.max(current?.failures ?? 0, history?.failures ?? 0),
      probeFrom: isOpen ? history.lastFailureAt + COOL_DOWN_MILLIS : undefined,
      isProbing: false
    }
    if (hosts.size >= MAX_HOSTS) removeIdle()
    hosts.set(name, host)
    if (isOpen) yield* onCircuit(name, true)
    return host
  })

  const removeIdle = () => {
    for (const [name, { probeFrom, running }] of hosts) {
      if (running === 0 && probeFrom === undefined) hosts.delete(name)
      if (hosts.size <= MAX_HOSTS / 2) return
    }
  }

  /** The entry of a host in use must stay, because permits refer to it. */
  const needsHistory = ({ isHistoryKnown, probeFrom, running }: Host) =>
    !isHistoryKnown && running === 0 && probeFrom === undefined

  const isPaused = ({ isProbing, probeFrom }: Host, now: number) =>
    probeFrom !== undefined && (isProbing || now < probeFrom)

  const permitFor = (name: string, host: Host): Permit => {
    const isProbe = host.probeFrom !== undefined
    host.running++
    host.isProbing ||= isProbe
    return {
      report: Effect.fnUntraced(function* (outcome) {
        const wasOpen = host.probeFrom !== undefined
        host.failures = outcome === "success" ? 0 : host.failures + 1
        if (outcome === "success") host.successes++
        const isOpen = host.failures >= MAX_FAILURES
        host.probeFrom = isOpen ? (yield* Clock.currentTimeMillis) + COOL_DOWN_MILLIS : undefined
        if (isOpen !== wasOpen) yield* onCircuit(name, isOpen)
      }),
      release: Effect.sync(() => {
        host.running--
        if (isProbe) host.isProbing = false
      })
    }
  }

  return {
    acquire: Effect.fnUntraced(function* (name) {
      const current = hosts.get(name)
      const host = current === undefined || needsHistory(current) ? yield* loadHost(name) : current
      const now = yield* Clock.currentTimeMillis
      return isPaused(host, now) || host.running >= slotsOf(host) ? undefined : permitFor(name, host)
    }),
    isPaused: (name, now) => {
      const host = hosts.get(name)
      return host !== undefined && isPaused(host, now)
    },
    isBusy: (name, now) => {
      const host = hosts.get(name)
      return host !== undefined && (isPaused(host, now) || host.running >= slotsOf(host))
    }
  }
}

const MAX_SLOTS = 8
export const MAX_FAILURES = 10
const COOL_DOWN_MILLIS = 30_000
/** Above this, hosts that are neither busy nor paused are removed. Their history is read again when needed. */
const MAX_HOSTS = 5_000
