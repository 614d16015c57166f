import type { Position } from "../../domain/events/recorded-event.ts"

/**
 * - `live`: has what is in the log, or all but the last moments of it.
 * - `catching-up`: on its way there, or trying again after an error.
 * - `standby`: does not run in this process, but in another that holds the lease, and would take over from it.
 * - `failed`: stands still in this process until that starts again with a repaired projection.
 */
export const projectionStates = ["live", "catching-up", "standby", "failed"] as const
export type ProjectionState = typeof projectionStates[number]

export interface ProjectionStatus {
  readonly name: string
  /** The name space of the read model. */
  readonly model: string
  /** Everything up to here is in the read model, whichever process put it there. */
  readonly checkpoint: Position
  /** Where the log ends. */
  readonly head: Position
  /** Distance of the two in commit positions: with the embedded store events, with EventStoreDB bytes of its log. */
  readonly lag: number
  readonly state: ProjectionState
  /** Why it failed, or what it is trying again after. */
  readonly error?: string
}
