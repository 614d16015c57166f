import { Effect, Fiber, Random } from "effect"
import { beginning, formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ModelBuilder } from "../../ports/model-builder.ts"
import type { OpenCopy } from "../../ports/model-copy.ts"
import { ReadModels, type ReadModelsError, type Write } from "../../ports/read-models.ts"
import { shadowName } from "./model-name.ts"

/**
 * Builds a lost model from its copy, as a shadow model that then takes its place. Returns false, and leaves the model as
 * it is, when the copy has nothing or is ahead of the log, when the model is built sooner from the log, or when another
 * process writes the shadow model. It writes the shadow model in parts, and each one after `awaitTurn`.
 */
export const restoreModel = Effect.fn("restoreModel")(function* (
  copy: OpenCopy,
  model: string,
  awaitTurn: Effect.Effect<void> = Effect.void
) {
  const models = yield* ReadModels
  const { checkpoint, writes } = yield* copy.snapshot(model)
  if (!isBefore(beginning, checkpoint)) return false
  // Ahead of the log: it was made before the log was restored to an earlier state.
  const head = yield* (yield* EventStore).head
  if (isBefore(head, checkpoint)) return false
  const canBuild = (yield* ModelBuilder)?.isLongEnough(head) === true
  if (canBuild && !isUsable(checkpoint, head)) return false

  const shadow = shadowName(model)
  const apply = (after: Position, upTo: Position, batch: ReadonlyArray<Write>) =>
    Effect.map(
      models.apply(shadow, { after, upTo, writes: batch }),
      (reached) => formatPosition(reached) === formatPosition(upTo)
    )
  yield* models.clear(shadow, beginning)
  let at = beginning
  // No event has such a position. It changes with each part and differs from that of another restore, so that no other
  // writer's batch comes in between.
  let prepare = BigInt(yield* Random.nextIntBetween(1, 2 ** 48))
  /**
   * Whether the part before takes effect. Hot path: it is on its way while the next one is read and sent, so the engine never
   * waits. Guarded by `npm run bench -- rebuild`.
   */
  let before: Fiber.Fiber<boolean, ReadModelsError> | undefined
  for (const part of inParts(writes, yield* models.batchWrites)) {
    yield* awaitTurn
    const upTo: Position = { commit: 0n, prepare: prepare++ }
    const sending = yield* Effect.forkChild(apply(at, upTo, part))
    // So that the part is sent before the next one is read.
    yield* Effect.yieldNow
    if (before !== undefined && !(yield* Fiber.join(before))) return false
    at = upTo
    before = sending
  }
  if (before !== undefined && !(yield* Fiber.join(before))) return false
  if (!(yield* apply(at, checkpoint, []))) return false
  return yield* models.promote(model)
}, Effect.scoped)

/**
 * Of a log that models can be built from. The rest of it is projected batch by batch: that takes three times as long as to
 * build a model, and to restore it takes half as long.
 */
const LEAST_PART = 0.75

/** Whether a lost model is restored from a copy with this checkpoint, however long the log is. */
export const isUsable = (checkpoint: Position, head: Position): boolean =>
  !isBefore(head, checkpoint) && Number(checkpoint.commit) >= LEAST_PART * Number(head.commit)

const inParts = function* (writes: Iterable<Write>, size: number): Generator<ReadonlyArray<Write>> {
  let part: Array<Write> = []
  for (const write of writes) {
    part.push(write)
    if (part.length < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}
