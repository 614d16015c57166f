import { Context, type Effect, type Scope } from "effect"
import type { Position } from "../domain/events/recorded-event.ts"
import type { Building } from "./model-builder.ts"
import type { ReadModels, ReadModelsError, Write } from "./read-models.ts"

/** The content of a copied model at one moment. */
export interface Snapshot {
  readonly checkpoint: Position
  /** Writes that make the content out of nothing, in any order. Reading them throws when the copy can't be read. */
  readonly writes: Iterable<Write>
}

export interface OpenCopy {
  readonly models: ReadModels["Service"]
  readonly snapshot: (model: string) => Effect.Effect<Snapshot, ReadModelsError, Scope.Scope>
  /** Builds copies from the log; undefined when only batches do. */
  readonly builder: Building | undefined
}

/** Opens the copy for the log whose first event has this id. A copy for another log is a different one. */
export type OpenModelCopy = (firstEventId: string) => Effect.Effect<OpenCopy, ReadModelsError, Scope.Scope>

/** A copy of read models that this process keeps, and that survives a loss of the shared ones; undefined without one. */
export const ModelCopy = Context.Reference<OpenModelCopy | undefined>(
  "sliptrail/application/ModelCopy",
  { defaultValue: () => undefined }
)
