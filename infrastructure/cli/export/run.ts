import type { Effect } from "effect"
import type { Position, RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { Selection } from "../../../application/trail/export.ts"
import type { Told } from "../../../application/trail/export-lines.ts"
import type { Format } from "./format.ts"
import type { Target } from "./target.ts"

/** One run of an export. */
export interface Run<E, R> {
  readonly selection: Selection
  /** Behind which it begins, where the target does not say so itself. */
  readonly after: Position
  readonly format: Format
  readonly target: Target
  /** How an event is shown. */
  readonly show: (event: RecordedEvent) => Effect.Effect<Told, E, R>
}
