import { Clock, Data, Effect } from "effect"
import { expireAll } from "./expire.ts"
import { modelName } from "./model-name.ts"
import { beginning, formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { type Dump, type ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import type { Projection } from "./projection.ts"
import { type OnProgress, replayPage } from "./rebuild.ts"

/** The result of comparing a read model with a fresh replay of the log. Lines are those of `ReadModels.dump`. */
export interface Comparison {
  readonly model: string
  /** The checkpoint of the model. The log was replayed up to here. */
  readonly position: Position
  /** Lines of the model. */
  readonly lines: number
  /** Lines that only the model has, in their order. Expired lines of the replay may be in the model or not. */
  readonly surplus: ReadonlyArray<string>
  /** Lines that only the replay has. */
  readonly missing: ReadonlyArray<string>
}

/** The checkpoint of the model is after the end of the log, so a replay cannot reach it. */
export class AheadOfLog extends Data.TaggedError("AheadOfLog")<{
  readonly checkpoint: Position
  readonly head: Position
}> {
  override get message(): string {
    return `the read model is at ${formatPosition(this.checkpoint)}, the log ends at ${formatPosition(this.head)}`
  }
}

/**
 * Replays the log into `fresh`, up to the checkpoint of a dump of the projection's model, and compares both. `fresh`
 * must be empty, and no other process may use it. The model itself may change meanwhile.
 *
 * What is older than `retentionMillis` leaves a model some time later. So the model must have every line of the replay
 * that has not expired, and no line that is not in the replay.
 */
export const compare = Effect.fn("compare")(function* (
  projection: Projection,
  fresh: ReadModels["Service"],
  dump: Dump,
  retentionMillis: number,
  onProgress: OnProgress = () => Effect.void
) {
  const model = modelName(projection)
  const { checkpoint: position, lines } = dump
  const head = yield* (yield* EventStore).head
  if (isBefore(head, position)) return yield* new AheadOfLog({ checkpoint: position, head })
  let at = beginning
  while (isBefore(at, position)) {
    const next = yield* replayPage(projection, { models: fresh, model }, at, position)
    // `fresh` is not empty, or another process uses it. Without progress this loop would not end.
    if (next === undefined || !isBefore(at, next)) {
      return yield* new ReadModelsError({ operation: "compare", reason: "behind" })
    }
    at = next
    yield* onProgress(at, position)
  }
  const replayed = yield* fresh.dump(model)
  yield* expireAll(projection, { models: fresh, model }, (yield* Clock.currentTimeMillis) - retentionMillis)
  const retained = projection.expiring === undefined ? replayed : yield* fresh.dump(model)
  return {
    model,
    position,
    lines: lines.length,
    surplus: without(lines, replayed.lines),
    missing: without(retained.lines, lines)
  } satisfies Comparison
})

/** The lines that are not among others. A dump has no duplicate lines. */
const without = (lines: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Set(others)
  return lines.filter((line) => !known.has(line))
}
