import { Context, type Effect, Schema } from "effect"
import type { JsonObject, Position } from "../domain/events/recorded-event.ts"

/**
 * One step of a projection. Every kind but `AddToFields` is idempotent.
 *
 * - `SetFields` creates the row if it is missing, sets these fields and leaves its other fields as they are.
 * - `AddToFields` creates the row if it is missing, and adds whole numbers to fields. A field that is absent or not a number
 *   counts as 0. It takes effect once, because `apply` refuses a batch that was applied before.
 * - `DeleteRow` deletes the row with all its fields.
 * - `AddMember` adds a member to a set, ordered by `score`; a member that exists gets the new score.
 * - `RemoveMember` removes it.
 *
 * A set is fixed when every member always comes with the same score. All writes to it say so: `isFixed`, and `fixedScore`
 * for the member that is removed, and so does a question to `has`. An engine then needs no way from a member to its score.
 */
export type Write = RowWrite | MemberWrite

/** A write to one row. */
export type RowWrite =
  | { readonly _tag: "SetFields"; readonly table: string; readonly key: string; readonly fields: JsonObject }
  | {
    readonly _tag: "AddToFields"
    readonly table: string
    readonly key: string
    readonly amounts: Readonly<Record<string, number>>
  }
  | { readonly _tag: "DeleteRow"; readonly table: string; readonly key: string }

/** A write to one member of a set. */
export type MemberWrite =
  | {
    readonly _tag: "AddMember"
    readonly set: string
    readonly member: string
    readonly score: number
    readonly isFixed?: true
  }
  | {
    readonly _tag: "RemoveMember"
    readonly set: string
    readonly member: string
    readonly fixedScore?: number
  }

/** The writes of consecutive events. They are applied in one step together with the new checkpoint. */
export interface Batch {
  /** The checkpoint that the projector expects. */
  readonly after: Position
  /** The checkpoint after the batch. */
  readonly upTo: Position
  readonly writes: ReadonlyArray<Write>
}

export interface Member {
  readonly member: string
  readonly score: number
}

/** Bounds of a score, both inclusive; a bound that is absent is infinite. */
export interface ScoreRange {
  readonly from?: number
  readonly to?: number
}

/** A member that a set may have. */
export interface SetMember {
  readonly set: string
  readonly member: string
  /** Of a fixed set: the score that the member has if it is there. */
  readonly fixedScore?: number
}

/** The content of a model at one moment. */
export interface Dump {
  readonly checkpoint: Position
  /** Sorted lines of canonical JSON: equal content gives equal text. They do not contain the checkpoint. */
  readonly lines: ReadonlyArray<string>
}

/** `behind`: the model is below its high-water mark, or did not reach a position in time. A read would be wrong. */
export class ReadModelsError extends Schema.TaggedError<ReadModelsError>()("ReadModelsError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "timeout", "behind"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * Rows and ordered sets, each in the namespace of a model. All of them are derived from the log, which can rebuild them.
 *
 * The high-water mark of a model is the furthest position that this process has seen it at, or requires of it. Below
 * the mark the model is incomplete: it is being built, or it was lost (an empty Redis, a damaged file). Then `get`,
 * `count`, `has` and `members` fail with `behind`.
 */
export class ReadModels extends Context.Service<ReadModels, {
  /** The number of writes from which on a batch is not applied faster when it is larger. */
  readonly batchWrites: Effect.Effect<number>
  /**
   * Applies a batch and moves the checkpoint in one atomic step. Returns the current checkpoint. A batch whose
   * `after` is not the current checkpoint changes nothing: it was applied before, or another projector was faster. The
   * caller continues from the returned checkpoint.
   */
  readonly apply: (model: string, batch: Batch) => Effect.Effect<Position, ReadModelsError>
  /** The position of the last event that the model contains; `beginning` when it is empty. */
  readonly checkpoint: (model: string) => Effect.Effect<Position, ReadModelsError>
  /** Raises the model's high-water mark to a position. A lower position changes nothing. */
  readonly require: (model: string, position: Position) => Effect.Effect<void>
  /**
   * Returns once the model has reached its high-water mark; fails with `behind` when it has not within `timeoutMillis`.
   * Costs nothing once the mark is reached, so it does not notice a later loss. Reads do.
   */
  readonly awaitComplete: (model: string, timeoutMillis: number) => Effect.Effect<void, ReadModelsError>
  /** Returns once the model's checkpoint has reached a position; `behind` when it has not within `timeoutMillis`. */
  readonly awaitPosition: (
    model: string,
    position: Position,
    timeoutMillis: number
  ) => Effect.Effect<void, ReadModelsError>
  readonly get: (model: string, table: string, key: string) => Effect.Effect<JsonObject | undefined, ReadModelsError>
  /**
   * The number of members of a set, in constant time. With `range`, of those whose score is within its bounds, both
   * inclusive: SQLite counts them one by one, Redis does not.
   */
  readonly count: (model: string, set: string, range?: ScoreRange) => Effect.Effect<number, ReadModelsError>
  /** Whether each member is in its set, all at one moment. */
  readonly has: (
    model: string,
    members: ReadonlyArray<SetMember>
  ) => Effect.Effect<ReadonlyArray<boolean>, ReadModelsError>
  /**
   * Members in the order of score, then name; with `reverse`, in the opposite order. `from` and `to` bound the score,
   * both inclusive. `after` is the last member of the previous page.
   */
  readonly members: (
    model: string,
    set: string,
    options?: {
      readonly from?: number
      readonly to?: number
      readonly after?: Member
      readonly limit?: number
      readonly reverse?: boolean
    }
  ) => Effect.Effect<ReadonlyArray<Member>, ReadModelsError>
  /**
   * Deletes the content and the checkpoint of a model, so that it is built again from the beginning. Replaces its
   * high-water mark by `mark`.
   */
  readonly clear: (model: string, mark: Position) => Effect.Effect<void, ReadModelsError>
  /**
   * Replaces a model by its shadow (`shadowName`), checkpoint included, in one atomic step. Afterwards there is no shadow.
   * Returns false, and changes nothing, when the shadow is behind the model: project more events and try again. The same
   * when its position has the commit 0 and is not `beginning`: then a restore fills it.
   */
  readonly promote: (model: string) => Effect.Effect<boolean, ReadModelsError>
  /** The content of a model at one moment, also during writes. */
  readonly dump: (model: string) => Effect.Effect<Dump, ReadModelsError>
}>()("sliptrail/application/ReadModels") {}
