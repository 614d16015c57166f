import { Context, type Effect } from "effect"
import type { EventStoreError } from "./event-store.ts"

/** What a process knows that alone appends to the log. */
export interface SoleWriter {
  /**
   * Waits until every append that began before has ended. Then the head covers those that are in the log. Fails when that is
   * unknown, because the log cannot be written.
   */
  readonly settled: Effect.Effect<void, EventStoreError>
}

/** Undefined when other processes may append to the log too. */
export const SoleWriter = Context.Reference<SoleWriter | undefined>(
  "sliptrail/application/SoleWriter",
  { defaultValue: () => undefined }
)
