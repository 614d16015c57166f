import { Context, type Effect, Schema } from "effect"
import type { JsonObject, Position } from "../domain/events/recorded-event.ts"

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

/** Everything that a model holds at one moment. */
export interface Dump {
  readonly checkpoint: Position
  /** Sorted lines of canonical JSON: equal content gives equal text. The checkpoint is not among them. */
  readonly lines: ReadonlyArray<string>
}

/**
 * `behind`: the model is not as far as it has to be. Either what was waited for did not happen in time, or the model
 * was further before, was lost, and is being built again: what it holds now would be wrong answers.
 */
export class ReadModelsError extends Schema.TaggedError<ReadModelsError>()("ReadModelsError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "timeout", "behind"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * Rows and ordered sets, each in the name space of a model, all of them derived from the log and disposable.
 *
 * A model never seems to go back: where it is lost (an empty Redis, a damaged file), `get`, `count`, `has` and
 * `members` fail with `behind` until it is again as far as this process has seen it.
 */
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
  /**
   * Forgets a model, its checkpoint included, so that it is built again from the beginning. Reads of this process fail
   * with `behind` until it has reached `until`, by default the beginning, which is at once.
   */
  readonly clear: (model: string, until?: Position) => Effect.Effect<void, ReadModelsError>
  /**
   * Puts what was built beside a model (under `shadowName`) in its place, checkpoint included, in one step that no
   * reader can come between; beside it there is nothing afterwards. False, and nothing has changed, when what stands
   * beside is behind the model: build on, and try again.
   */
  readonly promote: (model: string) => Effect.Effect<boolean, ReadModelsError>
  /** All of a model at one moment, also while it is written to. */
  readonly dump: (model: string) => Effect.Effect<Dump, ReadModelsError>
}>()("sliptrail/application/ReadModels") {}
