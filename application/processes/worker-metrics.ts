import { Clock, Effect, Metric } from "effect"
import { ReadModels } from "../ports/read-models.ts"
import type { IndexPlace } from "./due-index.ts"
import type { DueNow } from "./handover.ts"

type ProcessName = DueNow["process"]

/** An attempt came to this end. */
export const attempted = (process: ProcessName, outcome: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(attempts, { process, outcome }), 1)

/** The reconciler found this many steps that nobody had done in time. */
export const woken = (process: ProcessName, count: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(wakeUps, { process }), count)

/** Looks at what a process has to do, for the gauges. Leaves them as they are while the read model is away. */
export const reportWork = Effect.fnUntraced(function*(process: ProcessName, { model, set }: IndexPlace, inFlight: number) {
  yield* Metric.update(Metric.withAttributes(flying, { process }), inFlight)
  const now = yield* Clock.currentTimeMillis
  const found = yield* (yield* ReadModels).members(model, set, { to: now, limit: counted })
  yield* Metric.update(Metric.withAttributes(due, { process }), found.length)
  yield* Metric.update(Metric.withAttributes(oldest, { process }), (now - (found[0]?.score ?? now)) / 1_000)
}, Effect.catchTag("ReadModelsError", () => Effect.void))

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

const attempts = Metric.counter("sliptrail_worker_attempts", {
  description: "Steps that this process made, by process and outcome",
  incremental: true
})
const wakeUps = Metric.counter("sliptrail_worker_woken", {
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
const circuit = Metric.gauge("sliptrail_callback_circuit_open", {
  description: "1 while callbacks to a host are paused by this process, of the first hundred hosts that were"
})
const circuits = Metric.gauge("sliptrail_callback_circuits_open", {
  description: "Hosts to which this process pauses callbacks"
})
