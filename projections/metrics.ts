import { Effect, Metric } from "effect"
import { type ProjectionState, projectionStates } from "./status.ts"

/** What is measured of one projection in this process. */
export interface ProjectionMetrics {
  /** Lag in commit positions. */
  readonly report: (state: ProjectionState, lag: number) => Effect.Effect<void>
  /** A batch took effect, with so many events that the projection looks at. */
  readonly projected: (events: number) => Effect.Effect<void>
  /** A batch changed nothing, since the model was not where this process believed it to be. */
  readonly refused: Effect.Effect<void>
}

export const makeMetrics = (projection: string): ProjectionMetrics => {
  const ofThis = Metric.withAttributes({ projection })
  const lagOfThis = ofThis(lag)
  const eventsOfThis = ofThis(events)
  const refusedOfThis = ofThis(refused)
  const states = projectionStates.map((state) =>
    ({ state, metric: Metric.withAttributes(stateNow, { projection, state }) })
  )
  return {
    report: (state, distance) =>
      Effect.andThen(
        Metric.update(lagOfThis, distance),
        Effect.forEach(states, (one) => Metric.update(one.metric, one.state === state ? 1 : 0), { discard: true })
      ),
    projected: (count) => Metric.update(eventsOfThis, count),
    refused: Metric.update(refusedOfThis, 1)
  }
}

const lag = Metric.gauge("sliptrail_projection_lag", {
  description: "How far a read model is behind the log, in commit positions: events, or bytes of EventStoreDB's log"
})
const stateNow = Metric.gauge("sliptrail_projection_state", {
  description: "1 for the state that a projection is in, in this process: live, catching-up, standby or failed"
})
const events = Metric.counter("sliptrail_projection_events", {
  description: "Events that this process projected into a read model",
  incremental: true
})
const refused = Metric.counter("sliptrail_projection_refused_batches", {
  description: "Batches that changed nothing, since the read model was not where this process believed it to be",
  incremental: true
})
