import { Clock, Effect } from "effect"
import { waitLeft } from "../../domain/waits.ts"
import { callbackSets, laneRows, parseCallbackLane } from "../../projections/models/callbacks.ts"
import type { Limiter, Permit } from "../processes/limiter.ts"

/** The recent failures of the callbacks of a branch to a host, from the read model. */
export interface LaneHistory {
  /** Consecutive failures. */
  readonly failures: number
  /** Milliseconds since 1970. */
  readonly lastFailureAt: number
}

/**
 * The callbacks of a `callbackLane` that failed since its last success and have not ended. Undefined while the read model
 * is unavailable.
 */
export const laneHistory = Effect.fnUntraced(function* (lane: string) {
  const row = yield* laneRows.get(lane)
  const since = row === undefined ? -Infinity : Date.parse(row.lastOkAt)
  const failed = (from: number, limit: number) =>
    callbackSets.failing(lane).members(Number.isFinite(from) ? { from, limit } : { limit })
      .pipe(Effect.map((found) => found.filter(({ score }) => score > since)))
  const first = yield* failed(since, MAX_FIRST_FAILURES)
  const recent = yield* failed(Math.max(since, (yield* Clock.currentTimeMillis) - RECENT_MILLIS), MAX_RECENT_FAILURES)
  const last = recent.at(-1) ?? first.at(-1)
  return { failures: first.length, lastFailureAt: last?.score ?? 0 } satisfies LaneHistory
}, Effect.catchTag("ReadModelsError", () => Effect.undefined))

/** More than `MAX_FAILURES`, because failures in the same millisecond as the last answer are removed. */
const MAX_FIRST_FAILURES = 20
/** The recent failures include the last one, unless there are so many that its exact time does not matter. */
const RECENT_MILLIS = 60_000
const MAX_RECENT_FAILURES = 256

export interface HostLimiterOptions {
  /**
   * Successes until a lane gets one more slot, up to 8 slots; 0 gives all 8 at once. Exchanges in flight are sent again
   * after a crash, so a process that crashes repeatedly must not have many of them.
   */
  readonly successesPerSlot: number
  /** Undefined when the history is unavailable: the lane counts as healthy and its history is read again later. */
  readonly historyOf: (lane: string) => Effect.Effect<LaneHistory | undefined>
  /** Called when the circuit of a lane opens or closes. */
  readonly onCircuit: (lane: string, isOpen: boolean) => Effect.Effect<void>
}

interface Lane {
  readonly host: string
  readonly isHistoryKnown: boolean
  running: number
  /** Successes since this process first sent a callback of the lane. */
  successes: number
  /** Consecutive failures. */
  failures: number
  /** The circuit is open; from this time on one probe may run. Undefined while the circuit is closed. */
  probeFrom: number | undefined
  isProbing: boolean
}

export interface HostLimiter extends Limiter {
  /** Whether the lane has no free slot, because it is paused or busy, or because its host is. */
  readonly isBusy: (lane: string, now: number) => boolean
}

/**
 * Limits concurrent callbacks of each branch to each host, by `callbackLane`: at most 8, and fewer at first. Ten
 * consecutive failures open the circuit of a lane: only one probe every 30 seconds runs until one succeeds. Branches share
 * hosts, so one of them must neither use up the slots of the others nor pause them. A host has 32 slots for all, and 32
 * more for lanes in which nothing runs. There is no limit for all hosts together, because a few slow hosts would use it
 * up. Rule: docs/spec/http.md, "Callback".
 */
export const makeHostLimiter = ({ historyOf, onCircuit, successesPerSlot }: HostLimiterOptions): HostLimiter => {
  const lanes = new Map<string, Lane>()
  /** Exchanges in flight, by host. */
  const runningAt = new Map<string, number>()

  const slotsOf = ({ successes }: Lane): number =>
    successesPerSlot === 0 ? MAX_SLOTS : Math.min(MAX_SLOTS, 1 + Math.floor(successes / successesPerSlot))

  const hasSlot = (lane: Lane): boolean => {
    const slotsAtHost = lane.running === 0 ? MAX_HOST_SLOTS + SPARE_HOST_SLOTS : MAX_HOST_SLOTS
    return lane.running < slotsOf(lane) && (runningAt.get(lane.host) ?? 0) < slotsAtHost
  }

  const countAt = (host: string, change: 1 | -1) => {
    const running = (runningAt.get(host) ?? 0) + change
    if (running > 0) runningAt.set(host, running)
    else runningAt.delete(host)
  }

  const loadLane = Effect.fnUntraced(function* (name: string) {
    const history = yield* historyOf(name)
    const current = lanes.get(name)
    if (current !== undefined && !needsHistory(current)) return current
    const isOpen = history !== undefined && history.failures >= MAX_FAILURES
    const lane: Lane = {
      host: parseCallbackLane(name).host,
      isHistoryKnown: history !== undefined,
      running: 0,
      successes: current?.successes ?? 0,
      failures: Math.max(current?.failures ?? 0, history?.failures ?? 0),
      probeFrom: isOpen ? history.lastFailureAt + COOL_DOWN_MILLIS : undefined,
      isProbing: false
    }
    if (lanes.size >= MAX_LANES) removeIdle()
    lanes.set(name, lane)
    if (isOpen) yield* onCircuit(name, true)
    return lane
  })

  const removeIdle = () => {
    for (const [name, { probeFrom, running }] of lanes) {
      if (running === 0 && probeFrom === undefined) lanes.delete(name)
      if (lanes.size <= MAX_LANES / 2) return
    }
  }

  /** The entry of a lane in use must stay, because permits refer to it. */
  const needsHistory = ({ isHistoryKnown, probeFrom, running }: Lane) =>
    !isHistoryKnown && running === 0 && probeFrom === undefined

  const isPaused = ({ isProbing, probeFrom }: Lane, now: number) =>
    probeFrom !== undefined && (isProbing || waitLeft(probeFrom, now, COOL_DOWN_MILLIS) > 0)

  const permitFor = (name: string, lane: Lane): Permit => {
    const isProbe = lane.probeFrom !== undefined
    lane.running++
    countAt(lane.host, 1)
    lane.isProbing ||= isProbe
    return {
      report: Effect.fnUntraced(function* (outcome) {
        const wasOpen = lane.probeFrom !== undefined
        lane.failures = outcome === "success" ? 0 : lane.failures + 1
        if (outcome === "success") lane.successes++
        const isOpen = lane.failures >= MAX_FAILURES
        lane.probeFrom = isOpen ? (yield* Clock.currentTimeMillis) + COOL_DOWN_MILLIS : undefined
        if (isOpen !== wasOpen) yield* onCircuit(name, isOpen)
      }),
      release: Effect.sync(() => {
        lane.running--
        countAt(lane.host, -1)
        if (isProbe) lane.isProbing = false
      })
    }
  }

  return {
    acquire: Effect.fnUntraced(function* (name) {
      const current = lanes.get(name)
      const lane = current === undefined || needsHistory(current) ? yield* loadLane(name) : current
      const now = yield* Clock.currentTimeMillis
      return isPaused(lane, now) || !hasSlot(lane) ? undefined : permitFor(name, lane)
    }),
    isPaused: (name, now) => {
      const lane = lanes.get(name)
      return lane !== undefined && isPaused(lane, now)
    },
    isBusy: (name, now) => {
      const lane = lanes.get(name)
      return lane !== undefined && (isPaused(lane, now) || !hasSlot(lane))
    }
  }
}

const MAX_SLOTS = 8
const MAX_HOST_SLOTS = 32
const SPARE_HOST_SLOTS = 32
export const MAX_FAILURES = 10
const COOL_DOWN_MILLIS = 30_000
/** Above this, lanes that are neither busy nor paused are removed. Their history is read again when needed. */
const MAX_LANES = 5_000
