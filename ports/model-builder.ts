import { Context, type Effect } from "effect"
import type { Position } from "../domain/events/recorded-event.ts"
import type { ReadModelsError } from "./read-models.ts"

/**
 * Builds the shadow models of read models from the log up to a position, beside the service, and much faster than batch
 * by batch. Returns the models whose shadows have that position; the others have no shadow then, and are built batch by
 * batch: all of them when the log is short.
 */
export type BuildModels = (
  models: ReadonlyArray<string>,
  upTo: Position
) => Effect.Effect<ReadonlyArray<string>, ReadModelsError>

/** What builds read models from the whole log; undefined where only batches do. */
export const ModelBuilder = Context.Reference<BuildModels | undefined>(
  "sliptrail/application/ModelBuilder",
  { defaultValue: () => undefined }
)
