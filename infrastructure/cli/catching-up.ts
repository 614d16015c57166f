import { Effect, Layer } from "effect"
import { modelName } from "../../projections/engine/model-name.ts"
import { formatPosition, type Position } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import { projections } from "../../projections/models/all.ts"
import { makeProgress, type Progress } from "./progress.ts"

const LOOK_MILLIS = 2_000

/** Looks in which a model came no further: whoever has to build it is not there. */
const PATIENCE_LOOKS = 5

const percentage = (at: Position, head: Position): number =>
  head.commit === 0n ? 100 : Number(at.commit * 100n / head.commit)

const reaches = (model: string, head: Position) =>
  Effect.flatMap(ReadModels, (models) => models.awaitPosition(model, head, LOOK_MILLIS)).pipe(
    Effect.as(true),
    Effect.catchIf((error) => error.reason === "behind", () => Effect.succeed(false))
  )

const until = Effect.fnUntraced(function* (model: string, head: Position, progress: Progress) {
  const models = yield* ReadModels
  let seen = ""
  let inVain = 0
  while (!(yield* reaches(model, head))) {
    const at = yield* models.checkpoint(model)
    inVain = formatPosition(at) === seen ? inVain + 1 : 0
    if (inVain >= PATIENCE_LOOKS) return yield* new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
    seen = formatPosition(at)
    yield* progress.say(`the read model ${model} is built from the log: ${percentage(at, head)} %`)
  }
})

/**
 * Done when the read models have what is in the log, which takes its time where they have to be built anew from a long
 * one; says how far that is. Fails with `behind` when they get no further.
 */
export const layerCaughtUp = Layer.effectDiscard(Effect.scoped(Effect.gen(function* () {
  const progress = yield* makeProgress
  const head = yield* (yield* EventStore).head
  for (const projection of projections) yield* until(modelName(projection), head, progress)
})))
