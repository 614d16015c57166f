import { Context, type Effect } from "effect"
import type { Position } from "../domain/events/recorded-event.ts"
import type { ReadModelsError } from "./read-models.ts"

/** Models to build. Those of an earlier group are begun first. */
export type ModelGroups = ReadonlyArray<ReadonlyArray<string>>

/** Runs as soon as the shadow of a model is complete. */
export type OnBuilt = (model: string) => Effect.Effect<void, ReadModelsError>

/** Builds read models from the whole log, beside the service, and much faster than batch by batch. */
export interface Building {
  /** Whether a log that ends here is built from. A short one is projected sooner batch by batch. */
  readonly isLongEnough: (head: Position) => boolean
  /**
   * Builds the shadow models up to a position. The models for which `onBuilt` does not run have no shadow at the end, and are
   * built batch by batch.
   */
  readonly build: (groups: ModelGroups, upTo: Position, onBuilt: OnBuilt) => Effect.Effect<void, ReadModelsError>
}

/** What builds read models from the whole log; undefined where only batches do. */
export const ModelBuilder = Context.Reference<Building | undefined>(
  "sliptrail/application/ModelBuilder",
  { defaultValue: () => undefined }
)
