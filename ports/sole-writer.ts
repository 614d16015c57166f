import { Context, type Effect } from "effect"
import type { Position } from "../domain/events/recorded-event.ts"
import type { EventStoreError } from "./event-store.ts"

/** What a process knows that alone appends to the log. */
export interface SoleWriter {
  /**
   * Waits until every append that began before has ended. Then the head covers those that are in the log. Fails when that is
   * unknown, because the log cannot be written.
   */
  readonly settled: Effect.Effect<void, EventStoreError>
  /** Waits until the log has an event after a position. Returns the position of its last durable event, and reads none. */
  readonly headAfter: (position: Position) => Effect.Effect<Position>
}

/** Undefined when other processes may append to the log too. */
export const SoleWriter = Context.Reference<SoleWriter | undefined>(
  "sliptrail/application/SoleWriter",
  { defaultValue: () => undefined }
)
