import { Data, Effect } from "effect"
import { modelName } from "./model-name.ts"
import { beginning, formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { type Dump, type ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import type { Projection } from "./projection.ts"
import { type OnProgress, replayPage } from "./rebuild.ts"

/** What came of holding a read model against a fresh replay of the log. Lines are those of `ReadModels.dump`. */
export interface Comparison {
  readonly model: string
  /** The checkpoint of the model: up to here the log was replayed. */
  readonly position: Position
  /** Lines of the model. */
  readonly lines: number
  /** Lines that only the model has, in their order. */
  readonly surplus: ReadonlyArray<string>
  /** Lines that only the replay has. */
  readonly missing: ReadonlyArray<string>
}

/** The model says it is further than the log goes, so that there is nothing to hold it against. */
export class AheadOfLog extends Data.TaggedError("AheadOfLog")<{
  readonly checkpoint: Position
  readonly head: Position
}> {
  override get message(): string {
    return `the read model is at ${formatPosition(this.checkpoint)}, the log ends at ${formatPosition(this.head)}`
  }
}

/**
 * Replays the log into `fresh`, which must be empty and unused by others, up to the checkpoint of a dump of the
 * projection's model, and compares. The model itself may move on meanwhile.
 */
export const compare = Effect.fn("compare")(function* (
  projection: Projection,
  fresh: ReadModels["Service"],
  dump: Dump,
  onProgress: OnProgress = () => Effect.void
) {
  const model = modelName(projection)
  const { checkpoint: position, lines } = dump
  const head = yield* (yield* EventStore).head
  if (isBefore(head, position)) return yield* new AheadOfLog({ checkpoint: position, head })
  let at = beginning
  while (isBefore(at, position)) {
    const next = yield* replayPage(projection, { models: fresh, model }, at, position)
    // Not empty, or used by another process: without progress this loop would not end.
    if (next === undefined || !isBefore(at, next)) {
      return yield* new ReadModelsError({ operation: "compare", reason: "behind" })
    }
    at = next
    yield* onProgress(at, position)
  }
  const replayed = yield* fresh.dump(model)
  return { model, position, lines: lines.length, ...difference(lines, replayed.lines) } satisfies Comparison
})

/** No line stands twice in a dump. */
const difference = (live: ReadonlyArray<string>, fresh: ReadonlyArray<string>) => {
  const known = new Set(fresh)
  const seen = new Set(live)
  return { surplus: live.filter((line) => !known.has(line)), missing: fresh.filter((line) => !seen.has(line)) }
}
