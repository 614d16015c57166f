import { Clock, Effect, Metric } from "effect"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import { jobSets } from "../../projections/models/jobs.ts"
import type { Member } from "../../ports/read-models.ts"
import type { DueNow } from "./work-notifier.ts"

type ProcessName = DueNow["process"]

/** How attempts end. */
const outcomes = {
  "verification": ["success", "retry", "not_found"],
  "callback-delivery": ["delivered", "rejected", "failed", "abandoned"]
} as const satisfies Readonly<Record<ProcessName, ReadonlyArray<string>>>

/** An attempt came to this end. */
export const attempted = <Name extends ProcessName>(
  process: Name,
  outcome: (typeof outcomes)[Name][number]
): Effect.Effect<void> => countAttempts(process, outcome, 1)

const countAttempts = (process: ProcessName, outcome: string, count: number) =>
  Metric.update(Metric.withAttributes(attempts, { process, outcome }), count)

/** The reconciler found this many steps that nobody had done in time. */
export const woken = (process: ProcessName, count: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(wakeUps, { process }), count)

/** Puts all series there from the start: one that begins with its first event cannot be seen to rise by it. */
export const beginSeries = (process: ProcessName): Effect.Effect<void> =>
  Effect.andThen(
    woken(process, 0),
    Effect.forEach(outcomes[process], (outcome) => countAttempts(process, outcome, 0), { discard: true })
  )

/** Looks at what a process has to do, for the gauges. Leaves them as they are while the read model is away. */
export const reportWork = Effect.fnUntraced(
  function* (process: ProcessName, work: OrderedSet, inFlight: number) {
    yield* Metric.update(Metric.withAttributes(flying, { process }), inFlight)
    const now = yield* Clock.currentTimeMillis
    const found = yield* work.members({ to: now, limit: counted })
    yield* Metric.update(Metric.withAttributes(due, { process }), found.length)
    yield* Metric.update(Metric.withAttributes(oldest, { process }), secondsSince(found[0], now))
    yield* Metric.update(Metric.withAttributes(open, { process }), yield* work.count())
  },
  Effect.catchTag("ReadModelsError", () => Effect.void)
)

/** Looks at the job that has been open for the longest time, for its gauge. */
export const reportOldestJob = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const [oldest] = yield* jobSets.open.members({ limit: 1 })
  yield* Metric.update(oldestJob, secondsSince(oldest, now))
}).pipe(Effect.catchTag("ReadModelsError", () => Effect.void))

const secondsSince = (member: Member | undefined, now: number): number =>
  Math.max(0, now - (member?.score ?? now)) / 1_000

/**
 * The state of the circuits. Hosts are named by others, so that only the first hundred whose circuit opened have a
 * series of their own; the gauge of all counts the others too.
 */
export const makeCircuitMetrics = () => {
  const named = new Set<string>()
  const open = new Set<string>()

  return (host: string, isOpen: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isOpen) open.add(host)
      else open.delete(host)
      if (named.size < mostNamed) named.add(host)
      const ofHost = named.has(host)
        ? Metric.update(Metric.withAttributes(circuit, { host }), isOpen ? 1 : 0)
        : Effect.void
      return Effect.andThen(Metric.update(circuits, open.size), ofHost)
    })
}

const mostNamed = 100
/** Due steps are counted up to here: beyond it the age of the oldest says more. */
const counted = 1_000

const attempts = Metric.counter("sliptrail_worker_attempts_total", {
  description: "Steps that this process made, by process and outcome",
  incremental: true
})
const wakeUps = Metric.counter("sliptrail_worker_woken_total", {
  description: "Steps that the reconciler found undone long after they were due",
  incremental: true
})
const flying = Metric.gauge("sliptrail_worker_in_flight", { description: "Steps under way in this process" })
const due = Metric.gauge("sliptrail_worker_due", {
  description: `Steps that are due in all processes, counted up to ${counted}`
})
const oldest = Metric.gauge("sliptrail_worker_oldest_due_seconds", {
  description: "For how long the step that is due the longest has been due"
})
const open = Metric.gauge("sliptrail_worker_open", {
  description:
    "Jobs, and callbacks, that have not ended in all processes, those included that wait for their next attempt"
})
const oldestJob = Metric.gauge("sliptrail_job_oldest_open_seconds", {
  description: "For how long the job that was handed over first of those that have not ended has been waiting"
})
const circuit = Metric.gauge("sliptrail_callback_circuit_open", {
  description: "1 while callbacks to a host are paused by this process, of the first hundred hosts that were"
})
const circuits = Metric.gauge("sliptrail_callback_circuits_open", {
  description: "Hosts to which this process pauses callbacks"
})
