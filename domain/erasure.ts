import { Result, Schema } from "effect"
import { type Complete, type Decider, eventsOf } from "./decider.ts"

/**
 * The erasure of a slip: the keys that seal its personal data were destroyed, in every service that had the slip. The
 * stream, `forgotten-{digest of bank and transRef}`, has one event for each time that there was a key to destroy. All
 * other events of the slip stay in the log, but their personal data is unreadable. A service that verifies the slip for
 * the first time after the erasure has a key of its own, which is not destroyed.
 */

// These names are the storage format: add, never edit.
export const ErasureEvent = Schema.TaggedUnion({
  PersonalDataForgotten: {
    slipDigest: Schema.String,
    /** Jobs of the slip: their sources and results are erased too. */
    jobIds: Schema.Array(Schema.String),
    /** Services that had verified the slip. Absent before each service had its own key of a slip. */
    serviceIds: Schema.optionalKey(Schema.Array(Schema.String)),
    /** For a person, without personal data; null when none was given. */
    reason: Schema.NullOr(Schema.String),
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type ErasureEvent = typeof ErasureEvent.Type

export interface ErasureState {
  readonly isErased: boolean
  readonly jobIds: ReadonlyArray<string>
  readonly serviceIds: ReadonlyArray<string>
}

export interface EraseSlip {
  readonly _tag: "EraseSlip"
  readonly slipDigest: string
  readonly jobIds: ReadonlyArray<string>
  readonly serviceIds: ReadonlyArray<string>
  readonly reason: string | null
  readonly at: string
}

const evolve = ({ jobIds, serviceIds }: ErasureState, event: ErasureEvent): ErasureState => ({
  isErased: true,
  jobIds: [...jobIds, ...event.jobIds],
  serviceIds: [...serviceIds, ...event.serviceIds ?? []]
})

const make = eventsOf(ErasureEvent)

/** The ids that are not among the known ones, each once. */
const newIds = (ids: ReadonlyArray<string>, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(ids)].filter((id) => !known.includes(id))

/** A repeated erasure gives an event only when it covers further jobs or services. */
const decide = (command: EraseSlip, state: ErasureState): Result.Result<ReadonlyArray<Complete<ErasureEvent>>> => {
  const jobIds = newIds(command.jobIds, state.jobIds)
  const serviceIds = newIds(command.serviceIds, state.serviceIds)
  if (state.isErased && jobIds.length === 0 && serviceIds.length === 0) return Result.succeed([])
  const { at, reason, slipDigest } = command
  return Result.succeed([make.PersonalDataForgotten({ slipDigest, jobIds, serviceIds, reason, at })])
}

export const erasure: Decider<EraseSlip, ErasureState, ErasureEvent> = {
  initialState: { isErased: false, jobIds: [], serviceIds: [] },
  evolve,
  decide,
  isTerminal: () => false
}
