import { Schema } from "effect"
import { eventsOf, onlyOnce } from "./decider.ts"

/**
 * An operator did something that changes no other stream, and that the audit must show. Each act has a stream of its own,
 * `act-{id}`, with one event. The actor says who did it, and over which interface.
 */

// These names are the storage format: add, never edit.
export const OperatorActEvent = Schema.TaggedUnion({
  /** Appended before the read model is built again. */
  ProjectionRebuildRequested: {
    actId: Schema.String,
    projection: Schema.String,
    /** ISO 8601, UTC. */
    at: Schema.String
  },
  /** Appended before the read model is compared with a replay of the log. */
  ProjectionComparisonRequested: {
    actId: Schema.String,
    projection: Schema.String,
    /** ISO 8601, UTC. */
    at: Schema.String
  },
  /** The operator got a proof of the events of a verification or a job. Appended before the proof is shown. */
  EventsProven: {
    actId: Schema.String,
    subject: Schema.Struct({ kind: Schema.Literals(["verification", "job"]), id: Schema.String }),
    /** ISO 8601, UTC. */
    at: Schema.String
  },
  /** The operator asked to send callbacks again, and there was none to send, or it was due already. */
  RedeliveryChangedNothing: {
    actId: Schema.String,
    /** The callback of one job; null for a host or a period. */
    jobId: Schema.NullOr(Schema.String),
    host: Schema.NullOr(Schema.String),
    /** The period, ISO 8601, UTC, both ends included. */
    from: Schema.NullOr(Schema.String),
    to: Schema.NullOr(Schema.String),
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type OperatorActEvent = typeof OperatorActEvent.Type

type WithoutId<Event> = Event extends unknown ? Omit<Event, "actId" | "at"> : never

/** What an operator did. */
export type OperatorAct = WithoutId<OperatorActEvent>

export interface RecordAct {
  readonly _tag: "RecordAct"
  readonly act: OperatorAct
  readonly actId: string
  readonly at: string
}

const make = eventsOf(OperatorActEvent)

export const operatorAct = onlyOnce<RecordAct, OperatorActEvent>(({ act, actId, at }) => {
  switch (act._tag) {
    case "ProjectionRebuildRequested":
      return make.ProjectionRebuildRequested({ actId, projection: act.projection, at })
    case "ProjectionComparisonRequested":
      return make.ProjectionComparisonRequested({ actId, projection: act.projection, at })
    case "EventsProven":
      return make.EventsProven({ actId, subject: act.subject, at })
    case "RedeliveryChangedNothing": {
      const { from, host, jobId, to } = act
      return make.RedeliveryChangedNothing({ actId, jobId, host, from, to, at })
    }
  }
})
