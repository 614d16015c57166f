import { Context, type Effect, Schema } from "effect"
import type { TreeHead } from "../domain/log-proof/tree-head.ts"

/** The file can't be read or written, or holds what is no checkpoint; `message` says what to do. */
export class TreeHeadFileError extends Schema.TaggedError<TreeHeadFileError>()("TreeHeadFileError", {
  message: Schema.String
}) {}

/**
 * Checkpoints beside the log, a line each, oldest first: made to be shipped elsewhere as it grows. Lines are added
 * and never changed.
 */
export class TreeHeadFile extends Context.Service<TreeHeadFile, {
  /** The last one; undefined when there is none yet. A line that a crash cut off does not count. */
  readonly last: Effect.Effect<TreeHead | undefined, TreeHeadFileError>
  /** Adds lines, in the place of one that was cut off; when it returns they survive a crash. */
  readonly append: (checkpoints: ReadonlyArray<TreeHead>) => Effect.Effect<void, TreeHeadFileError>
}>()("sliptrail/application/TreeHeadFile") {}
