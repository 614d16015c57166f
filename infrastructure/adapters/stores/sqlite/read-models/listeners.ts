import type { Write } from "../../../../../ports/read-models.ts"
import type { Tables } from "./tables.ts"

/** Who must know what changes in a model. Neither function may throw. */
export interface ModelListener {
  /** Called after the commit of every batch, before `apply` returns. */
  readonly applied: (writes: ReadonlyArray<Write>) => void
  /**
   * Called when the model may have other content without a notification: a shadow model has replaced it, or the thread died
   * before it answered. `tables` holds the content.
   */
  readonly replaced: (tables: Tables) => void
}

/** By model. */
export type Listeners = ReadonlyMap<string, ModelListener>
