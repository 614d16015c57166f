import { Result, Schema } from "effect"
import { type Decider, eventsOf } from "./decider.ts"

/**
 * The erasure of a slip: the keys that seal its personal data were destroyed, in every service that had the slip. The
 * stream, `forgotten-{digest of bank and transRef}`, has one event for each time that there was a key to destroy. All
 * other events of the slip stay in the log, but their personal data is unreadable.
 */

// These names are the storage format: add, never edit.
export const ErasureEvent = Schema.TaggedUnion({
  PersonalDataForgotten: {
    slipDigest: Schema.String,
    /** Jobs of the slip: their sources and results are erased too. */
    jobIds: Schema.Array(Schema.String),
    /** For a person, without personal data; null when none was given. */
    reason: Schema.NullOr(Schema.String),
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type ErasureEvent = typeof ErasureEvent.Type

export interface ErasureState {
  readonly isForgotten: boolean
  readonly jobIds: ReadonlyArray<string>
}

export interface Forget {
  readonly _tag: "Forget"
  readonly slipDigest: string
  readonly jobIds: ReadonlyArray<string>
  readonly reason: string | null
  readonly at: string
}

const evolve = ({ jobIds }: ErasureState, event: ErasureEvent): ErasureState => ({
  isForgotten: true,
  jobIds: [...jobIds, ...event.jobIds]
})

const make = eventsOf(ErasureEvent)

/** A repeated erasure gives an event only when it covers further jobs. */
const decide = (command: Forget, state: ErasureState): Result.Result<ReadonlyArray<ErasureEvent>> => {
  const jobIds = [...new Set(command.jobIds)].filter((jobId) => !state.jobIds.includes(jobId))
  if (state.isForgotten && jobIds.length === 0) return Result.succeed([])
  const { at, reason, slipDigest } = command
  return Result.succeed([make.PersonalDataForgotten({ slipDigest, jobIds, reason, at })])
}

export const erasure: Decider<Forget, ErasureState, ErasureEvent> = {
  initialState: { isForgotten: false, jobIds: [] },
  evolve,
  decide,
  isTerminal: () => false
}
