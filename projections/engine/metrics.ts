import { Effect, Metric } from "effect"
import { type ProjectionState, projectionStates } from "./status.ts"

/** The metrics of one projection in this process. */
export interface ProjectionMetrics {
  /** Creates the counters with the value 0: otherwise a monitor cannot see the first increase. */
  readonly begin: Effect.Effect<void>
  /** Lag in commit positions, and in seconds. */
  readonly report: (state: ProjectionState, lag: number, seconds: number) => Effect.Effect<void>
  /** A batch was applied, with this many events that the projection handles. */
  readonly projected: (events: number) => Effect.Effect<void>
  /** A batch was refused, because the model had another checkpoint than this process expected. */
  readonly refused: Effect.Effect<void>
}

export const makeMetrics = (projection: string): ProjectionMetrics => {
  const ofThis = Metric.withAttributes({ projection })
  const lagOfThis = ofThis(lag)
  const secondsOfThis = ofThis(lagSeconds)
  const eventsOfThis = ofThis(events)
  const refusedOfThis = ofThis(refused)
  const states = projectionStates.map((state) => ({
    state,
    metric: Metric.withAttributes(stateNow, { projection, state })
  }))
  return {
    begin: Effect.andThen(Metric.update(eventsOfThis, 0), Metric.update(refusedOfThis, 0)),
    report: Effect.fnUntraced(function* (state, distance, seconds) {
      yield* Metric.update(lagOfThis, distance)
      yield* Metric.update(secondsOfThis, seconds)
      for (const one of states) yield* Metric.update(one.metric, one.state === state ? 1 : 0)
    }),
    projected: (count) => Metric.update(eventsOfThis, count),
    refused: Metric.update(refusedOfThis, 1)
  }
}

/** For a projection into a copy, which reports nothing. */
export const noMetrics: ProjectionMetrics = {
  begin: Effect.void,
  report: () => Effect.void,
  projected: () => Effect.void,
  refused: Effect.void
}

const lag = Metric.gauge("sliptrail_projection_lag_positions", {
  description: "How far a read model is behind the log, in commit positions: events, or bytes of EventStoreDB's log"
})
const lagSeconds = Metric.gauge("sliptrail_projection_lag_seconds", {
  description:
    "Age of the oldest event that a read model has not applied yet, in seconds; 0 when it has applied all events"
})
const stateNow = Metric.gauge("sliptrail_projection_state", {
  description: "1 for the current state of a projection in this process, else 0: live, catching-up, standby or failed"
})
const events = Metric.counter("sliptrail_projection_events_total", {
  description: "Events that this process projected into a read model",
  incremental: true
})
const refused = Metric.counter("sliptrail_projection_refused_batches_total", {
  description: "Batches that were not applied: the read model had another checkpoint than this process expected",
  incremental: true
})
