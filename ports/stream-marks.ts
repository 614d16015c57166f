import { Context, type Effect } from "effect"
import type { ReadModelsError } from "./read-models.ts"

/** Marks of streams that a process is about to append to, among all processes. They only save work. */
export class StreamMarks extends Context.Service<StreamMarks, {
  /** Marks streams for an hour. True for each stream that had no mark. */
  readonly mark: (streams: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<boolean>, ReadModelsError>
}>()("sliptrail/application/StreamMarks") {}
