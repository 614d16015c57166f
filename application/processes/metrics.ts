import { Clock, Effect, Metric } from "effect"
import type { Member } from "../../ports/read-models.ts"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import { jobSets } from "../../projections/models/jobs.ts"
import type { ProcessName } from "./work-notifier.ts"

/** The outcomes of attempts. */
const outcomes = {
  "verification": ["success", "retry", "not_found"],
  "callback-delivery": ["delivered", "rejected", "failed", "abandoned"]
} as const satisfies Readonly<Record<ProcessName, ReadonlyArray<string>>>

/** Counts an attempt. */
export const countAttempt = <Name extends ProcessName>(
  process: Name,
  outcome: (typeof outcomes)[Name][number]
): Effect.Effect<void> => addAttempts(process, outcome, 1)

const addAttempts = (process: ProcessName, outcome: string, count: number) =>
  Metric.update(Metric.withAttributes(attempts, { process, outcome }), count)

/** Counts overdue steps that the reconciler found. */
export const countOverdue = (process: ProcessName, count: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(overdueSteps, { process }), count)

/** Creates every series with the value 0, because a series that starts at 1 shows no increase. */
export const initSeries = (process: ProcessName): Effect.Effect<void> =>
  Effect.andThen(
    countOverdue(process, 0),
    Effect.forEach(outcomes[process], (outcome) => addAttempts(process, outcome, 0), { discard: true })
  )

/** Sets the gauges of a process. Leaves them unchanged while the read model is unavailable. */
export const reportWork = Effect.fnUntraced(
  function* (process: ProcessName, dueIndex: OrderedSet, inFlight: number) {
    yield* Metric.update(Metric.withAttributes(inFlightSteps, { process }), inFlight)
    const now = yield* Clock.currentTimeMillis
    const found = yield* dueIndex.members({ to: now, limit: MAX_DUE_COUNT })
    yield* Metric.update(Metric.withAttributes(due, { process }), found.length)
    yield* Metric.update(Metric.withAttributes(oldest, { process }), secondsSince(found[0], now))
    yield* Metric.update(Metric.withAttributes(open, { process }), yield* dueIndex.count())
  },
  Effect.catchTag("ReadModelsError", () => Effect.void)
)

/** Sets the gauge of the oldest open job. */
export const reportOldestJob = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const [oldest] = yield* jobSets.open.members({ limit: 1 })
  yield* Metric.update(oldestJob, secondsSince(oldest, now))
}).pipe(Effect.catchTag("ReadModelsError", () => Effect.void))

const secondsSince = (member: Member | undefined, now: number): number =>
  Math.max(0, now - (member?.score ?? now)) / 1_000

/**
 * Reports that the circuit of a branch at a host opened or closed. A host counts while the circuit of any branch there is
 * open. Callers choose the hosts, so only the first hundred hosts whose circuit opens
 * have their own series. The gauge of all open circuits counts every host.
 */
export const makeCircuitMetrics = () => {
  const named = new Set<string>()
  /** Branches whose callbacks to a host are paused, by host. */
  const open = new Map<string, number>()

  return (host: string, isOpen: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      const branches = (open.get(host) ?? 0) + (isOpen ? 1 : -1)
      if (branches > 0) open.set(host, branches)
      else open.delete(host)
      if (named.size < MAX_NAMED_HOSTS) named.add(host)
      const ofHost = named.has(host)
        ? Metric.update(Metric.withAttributes(circuit, { host }), branches > 0 ? 1 : 0)
        : Effect.void
      return Effect.andThen(Metric.update(circuits, open.size), ofHost)
    })
}

const MAX_NAMED_HOSTS = 100
/** Due steps are counted up to this number. Above it, watch the age of the oldest step instead. */
const MAX_DUE_COUNT = 1_000

const attempts = Metric.counter("sliptrail_worker_attempts_total", {
  description: "Attempts that this process made, by process and outcome",
  incremental: true
})
const overdueSteps = Metric.counter("sliptrail_worker_woken_total", {
  description: "Overdue steps that the reconciler found",
  incremental: true
})
const inFlightSteps = Metric.gauge("sliptrail_worker_in_flight", { description: "Steps in flight in this process" })
const due = Metric.gauge("sliptrail_worker_due", {
  description: `Due steps of all processes, counted up to ${MAX_DUE_COUNT}`
})
const oldest = Metric.gauge("sliptrail_worker_oldest_due_seconds", {
  description: "Time since the oldest due step became due"
})
const open = Metric.gauge("sliptrail_worker_open", {
  description: "Jobs and callbacks that have not ended, including those that wait for their next attempt"
})
const oldestJob = Metric.gauge("sliptrail_job_oldest_open_seconds", {
  description: "Age of the oldest job that has not ended"
})
const circuit = Metric.gauge("sliptrail_callback_circuit_open", {
  description: "1 while this process pauses callbacks of a branch to a host, for the first hundred such hosts"
})
const circuits = Metric.gauge("sliptrail_callback_circuits_open", {
  description: "Hosts to which this process pauses callbacks of a branch"
})
