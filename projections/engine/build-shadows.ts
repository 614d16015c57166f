import { Effect, Fiber } from "effect"
import { beginning, formatPosition, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { ReadModels, type Write } from "../../ports/read-models.ts"
import { projectAll } from "./batch.ts"
import { modelName, shadowName } from "./model-name.ts"
import type { Projection } from "./projection.ts"
import { withRetries } from "./retries.ts"

/**
 * Builds the shadow models of projections in one pass over the log. `nextPage` returns the next events from the beginning
 * of the log, and undefined after the last ones. Returns the models whose shadows have the position of the last event. The
 * others have a projection that throws on an event, or a shadow that another process writes.
 *
 * Each shadow is written in batches. Hot path: while one is applied, the next events are projected.
 * Guarded by `npm run bench -- rebuild`.
 */
export const buildShadows = Effect.fnUntraced(function* <E, R>(
  projections: ReadonlyArray<Projection>,
  nextPage: Effect.Effect<ReadonlyArray<RecordedEvent> | undefined, E, R>
) {
  const shadows = yield* Effect.forEach(projections, beginShadow)
  for (let page = yield* nextPage; page !== undefined; page = yield* nextPage) {
    for (const shadow of shadows) {
      if (shadow.add(page)) yield* shadow.flush
    }
    if (!shadows.some((shadow) => shadow.isFilling())) break
  }
  const built: Array<string> = []
  for (const shadow of shadows) if (yield* shadow.end) built.push(shadow.model)
  return built
})

/** Clears the shadow of a projection's model. */
const beginShadow = Effect.fnUntraced(function* (projection: Projection) {
  const models = yield* ReadModels
  const batchWrites = yield* models.batchWrites
  const model = modelName(projection)
  const shadow = shadowName(model)
  const clear = withRetries(models.clear(shadow, beginning))
  yield* clear

  let writes: Array<Write> = []
  /** The last event whose writes were sent, and the last one that was projected. */
  let [sent, projected] = [beginning, beginning]
  let sending: Fiber.Fiber<boolean, Effect.Error<typeof clear>> | undefined
  let state: "filling" | "poisoned" | "taken" = "filling"

  /** Whether the batch took effect, now or in an earlier try. */
  const apply = (after: Position, upTo: Position, batch: ReadonlyArray<Write>) =>
    Effect.map(
      withRetries(models.apply(shadow, { after, upTo, writes: batch })),
      (reached) => formatPosition(reached) === formatPosition(upTo)
    )

  const settle = Effect.suspend(() => {
    if (sending === undefined) return Effect.void
    return Effect.map(Fiber.join(sending), (tookEffect) => {
      sending = undefined
      if (!tookEffect && state === "filling") state = "taken"
    })
  })

  /** Sends what was projected, when the last batch is applied. */
  const flush = Effect.gen(function* () {
    yield* settle
    if (state !== "filling") return
    const [after, batch] = [sent, writes]
    ;[sent, writes] = [projected, []]
    sending = yield* Effect.forkChild(apply(after, projected, batch))
    // So that the batch is sent before the next events are projected.
    yield* Effect.yieldNow
  })

  return {
    model,
    /** False when the shadow will not be complete. */
    isFilling: () => state === "filling",
    /** Projects events. Returns whether their writes fill a batch. */
    add: (page: ReadonlyArray<RecordedEvent>): boolean => {
      if (state !== "filling") return false
      const { poison, writes: added } = projectAll(projection, page)
      if (poison !== undefined) {
        state = "poisoned"
        writes = []
        return false
      }
      for (const write of added) writes.push(write)
      projected = page.at(-1)?.position ?? projected
      return writes.length >= batchWrites
    },
    flush,
    /** Sends the rest. Returns whether the shadow is complete. */
    end: Effect.gen(function* () {
      yield* flush
      yield* settle
      if (state === "poisoned") yield* clear
      return state === "filling"
    })
  }
})
