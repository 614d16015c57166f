import { Context, type Effect, Schema } from "effect"
import type { JsonObject, Position } from "./event-store.ts"

/**
 * One step of a projection. Every kind is safe to repeat: the result depends on the last write alone, never on
 * how often it was made.
 *
 * - `SetFields` makes the row if there is none, sets these fields and leaves its other fields as they are.
 * - `DeleteRow` removes the row with all its fields.
 * - `AddMember` puts a member into a set, ordered by `score`; a member that is there gets the new score.
 * - `RemoveMember` takes it out.
 */
export type Write =
  | { readonly _tag: "SetFields"; readonly table: string; readonly key: string; readonly fields: JsonObject }
  | { readonly _tag: "DeleteRow"; readonly table: string; readonly key: string }
  | { readonly _tag: "AddMember"; readonly set: string; readonly member: string; readonly score: number }
  | { readonly _tag: "RemoveMember"; readonly set: string; readonly member: string }

/** The writes of a run of events, to be applied in one step together with the checkpoint behind them. */
export interface Batch {
  /** The checkpoint that the projector believes in force. */
  readonly after: Position
  /** The checkpoint once the batch is applied. */
  readonly upTo: Position
  readonly writes: ReadonlyArray<Write>
}

export interface Member {
  readonly member: string
  readonly score: number
}

export class ReadModelsError extends Schema.TaggedError<ReadModelsError>()("ReadModelsError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "timeout", "behind"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Rows and ordered sets, each in the name space of a model, all of them derived from the log and disposable. */
export class ReadModels extends Context.Service<ReadModels, {
  /**
   * Applies a batch and moves the checkpoint in one atomic step, and gives the checkpoint now in force. A batch
   * whose `after` is not the checkpoint in force changes nothing: it was applied before, or another projector
   * went ahead; the caller goes on from the checkpoint it is given.
   */
  readonly apply: (model: string, batch: Batch) => Effect.Effect<Position, ReadModelsError>
  /** How far a model is; `beginning` when it holds nothing. */
  readonly checkpoint: (model: string) => Effect.Effect<Position, ReadModelsError>
  /** Returns once the model's checkpoint has reached a position; `behind` when it has not within `timeoutMillis`. */
  readonly awaitPosition: (
    model: string,
    position: Position,
    timeoutMillis: number
  ) => Effect.Effect<void, ReadModelsError>
  readonly get: (model: string, table: string, key: string) => Effect.Effect<JsonObject | undefined, ReadModelsError>
  /** How many members a set has; constant time. */
  readonly count: (model: string, set: string) => Effect.Effect<number, ReadModelsError>
  readonly has: (model: string, set: string, member: string) => Effect.Effect<boolean, ReadModelsError>
  /**
   * Members in the order of score, then name. `from` and `to` bound the score, both included; `after` continues
   * behind a member that an earlier page ended with.
   */
  readonly members: (
    model: string,
    set: string,
    options?: {
      readonly from?: number
      readonly to?: number
      readonly after?: Member
      readonly limit?: number
    }
  ) => Effect.Effect<ReadonlyArray<Member>, ReadModelsError>
  /** Forgets a model, its checkpoint included, so that it is built again from the beginning. */
  readonly clear: (model: string) => Effect.Effect<void, ReadModelsError>
  /** Everything a model holds as sorted lines of canonical JSON: equal content gives equal text. */
  readonly dump: (model: string) => Effect.Effect<ReadonlyArray<string>, ReadModelsError>
}>()("sliptrail/application/ReadModels") {}
