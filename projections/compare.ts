import { Data, Effect } from "effect"
import { modelName } from "../application/models/model-name.ts"
import { beginning, EventStore, formatPosition, isBehind, type Position } from "../application/ports/event-store.ts"
import { type ReadModels, ReadModelsError } from "../application/ports/read-models.ts"
import { looksAt, type Projection } from "./projection.ts"

type Models = ReadModels["Service"]

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

/** An event that the projection can't take. */
export class NotProjected extends Data.TaggedError("NotProjected")<{ readonly message: string }> {}

/**
 * Replays the log into `fresh`, which must be empty, up to where the projection's model in `live` is, and compares.
 * Fails with `behind` when `live` moves on while it is read: give a copy of what is written to all the time.
 */
export const compare = Effect.fn("compare")(function*(
  projection: Projection,
  { fresh, live }: { readonly fresh: Models; readonly live: Models },
  onProgress: (done: Position, of: Position) => Effect.Effect<void> = () => Effect.void
) {
  const model = modelName(projection)
  const position = yield* live.checkpoint(model)
  const lines = yield* live.dump(model)
  if (formatPosition(yield* live.checkpoint(model)) !== formatPosition(position)) {
    return yield* new ReadModelsError({ operation: "compare", reason: "behind" })
  }
  const head = yield* (yield* EventStore).head
  if (isBehind(head, position)) return yield* new AheadOfLog({ checkpoint: position, head })
  yield* replay(projection, fresh, position, onProgress)
  const differences = difference(lines, yield* fresh.dump(model))
  return { model, position, lines: lines.length, ...differences } satisfies Comparison
})

/** Events that are read and written at once. */
const PAGE = 500

const replay = Effect.fnUntraced(function*(
  projection: Projection,
  fresh: Models,
  upTo: Position,
  onProgress: (done: Position, of: Position) => Effect.Effect<void>
) {
  const store = yield* EventStore
  const model = modelName(projection)
  let at = beginning
  while (isBehind(at, upTo)) {
    const page = yield* store.readAll({ after: at, limit: PAGE })
    const events = page.filter(({ position }) => !isBehind(upTo, position))
    const wanted = events.filter(({ stream }) => looksAt(projection, stream))
    const writes = yield* Effect.try({
      try: () => wanted.flatMap(projection.when),
      catch: (cause) => new NotProjected({ message: `the projection ${projection.name} fails: ${String(cause)}` })
    })
    // The checkpoint of a model need not be the place of an event.
    const next = events.length < page.length || page.length === 0 ? upTo : events.at(-1)?.position ?? upTo
    yield* fresh.apply(model, { after: at, upTo: next, writes })
    at = next
    yield* onProgress(at, upTo)
    yield* Effect.yieldNow
  }
})

/** No line stands twice in a dump. */
const difference = (live: ReadonlyArray<string>, fresh: ReadonlyArray<string>) => {
  const known = new Set(fresh)
  const seen = new Set(live)
  return { surplus: live.filter((line) => !known.has(line)), missing: fresh.filter((line) => !seen.has(line)) }
}
