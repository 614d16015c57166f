import { Result, Schema } from "effect"
import { type Decider, eventsOf } from "./decider.ts"

/**
 * On which days an API key was used, in a stream of its own, `keyUse-{digest}`: a branch's own stream stays short, as
 * each command reads it.
 */

// These names are the storage format: add, never edit.
export const KeyUseEvent = Schema.TaggedUnion({
  ApiKeyUsed: {
    keyDigest: Schema.String,
    /** A day in UTC, `yyyy-MM-dd`. */
    day: Schema.String
  }
})
export type KeyUseEvent = typeof KeyUseEvent.Type

export interface KeyUseState {
  /** The last day; null before the first use. */
  readonly day: string | null
}

export type KeyUseCommand = { readonly _tag: "RecordUse"; readonly keyDigest: string; readonly day: string }

const make = eventsOf(KeyUseEvent)

export const keyUse: Decider<KeyUseCommand, KeyUseState, KeyUseEvent> = {
  initialState: { day: null },
  evolve: (_, { day }) => ({ day }),
  // An earlier day comes from a process whose clock is behind.
  decide: ({ day, keyDigest }, state) =>
    Result.succeed(state.day === null || day > state.day ? [make.ApiKeyUsed({ keyDigest, day })] : []),
  isTerminal: () => false
}
