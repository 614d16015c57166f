import { Schema } from "effect"
import { eventsOf, onlyOnce } from "./decider.ts"

/**
 * From which position on the log has only sealed values that are bound to their record. The stream, `sealing`, has one
 * event. A log that has had only bound values needs none.
 */

// These names are the storage format: add, never edit.
export const SealingEvent = Schema.TaggedUnion({
  /** Values that are bound to their purpose only open in events before this one (docs/spec/events.md, "Sealed values"). */
  SealedValuesBound: {
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type SealingEvent = typeof SealingEvent.Type

export interface BindSealedValues {
  readonly _tag: "BindSealedValues"
  readonly at: string
}

const make = eventsOf(SealingEvent)

export const sealing = onlyOnce<BindSealedValues, SealingEvent>(({ at }) => make.SealedValuesBound({ at }))
