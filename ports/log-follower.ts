import { Context, type Effect } from "effect"
import type { Position } from "../domain/events/recorded-event.ts"
import type { Pending, SigningDue } from "../domain/log-proof/pending-block.ts"
import type { ReadModelsError } from "./read-models.ts"

/** The next events for a model. */
export interface NextEvents {
  readonly model: string
  /** The checkpoint of the model. */
  readonly after: Position
  /** The last event that was projected. It is after the checkpoint when the last events needed no writes. */
  readonly from: Position
}

/** The result of projecting some events. */
export interface ProjectedEvents {
  /** The last projected event; `from` when there was no event after it. */
  readonly upTo: Position
  /** The number of projected events, and of those that the projection handles. */
  readonly events: number
  readonly handled: number
  /** The checkpoint of the model after its writes were applied; undefined when no event needed a write. */
  readonly checkpoint: Position | undefined
}

/**
 * Follows the log beside the thread that serves requests. It reads the events itself. The positions of its log are
 * consecutive numbers.
 */
export interface Following {
  /** False while nothing runs beside the service. The caller then reads the events itself. */
  readonly isReady: () => boolean
  /** The number of events of one call at most. */
  readonly limit: number
  /**
   * Projects the next events, and applies their writes as `ReadModels.apply` does. Undefined when the projection throws on
   * an event: nothing was applied.
   */
  readonly project: (next: NextEvents) => Effect.Effect<ProjectedEvents | undefined, ReadModelsError>
  /** Adds the next events to the block of the next tree head, until the block is full. */
  readonly extend: (pending: Pending, due: SigningDue) => Effect.Effect<Pending, ReadModelsError>
}

/** What follows the log beside the service; undefined where log or read models are on a server. */
export const LogFollower = Context.Reference<Following | undefined>(
  "sliptrail/ports/LogFollower",
  { defaultValue: () => undefined }
)
