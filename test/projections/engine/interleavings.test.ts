import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { Leases } from "../../../ports/leases.ts"
import { type Batch, ReadModels } from "../../../ports/read-models.ts"
import { rebuild } from "../../../projections/engine/rebuild.ts"
import { untilDone } from "../../support/advance-clock.ts"
import {
  appendSome,
  caughtUp,
  dump,
  jobs,
  leasesAlwaysHeld,
  replayed,
  startProjector,
  trail
} from "./given-projector.ts"
import { runs } from "../../support/runs.ts"
import { layerPorts } from "../../support/ports.ts"

const steps = [
  "append 1",
  "append 40",
  "append 600",
  "start",
  "start without lease",
  "stop",
  "repeat",
  "wipe",
  "wipe shadow",
  "rebuild",
  "interrupt a rebuild",
  "turn",
  "turn",
  "time"
] as const

/** The read models, and an effect that sends an earlier batch again, as a client does after a lost answer. */
const givenRepeats = Effect.gen(function* () {
  const models = yield* ReadModels
  const sent: Array<readonly [model: string, batch: Batch]> = []
  const recorded = ReadModels.of({
    ...models,
    apply: (model, batch) => {
      sent.push([model, batch])
      return models.apply(model, batch)
    }
  })
  let chance = 1
  const repeat = Effect.suspend(() => {
    chance = (chance * 48_271) % 2_147_483_647
    const batch = sent[chance % sent.length]
    return batch === undefined ? Effect.void : models.apply(...batch)
  })
  return { recorded, repeat }
})

const perform = Effect.fnUntraced(function* (
  sequence: ReadonlyArray<typeof steps[number]>,
  repeat: Effect.Effect<unknown, unknown>
) {
  const models = yield* ReadModels
  const running: Array<Effect.Success<ReturnType<typeof startProjector>>> = []
  const rebuilds: Array<Fiber.Fiber<unknown, unknown>> = []
  for (const step of sequence) {
    if (step.startsWith("append")) yield* appendSome(Number(step.slice("append ".length)))
    if (step === "start") running.push(yield* startProjector([jobs, trail]))
    if (step === "start without lease") {
      running.push(yield* Effect.provideService(startProjector([jobs, trail]), Leases, leasesAlwaysHeld))
    }
    if (step === "stop") yield* running.shift()?.stop ?? Effect.void
    if (step === "repeat") yield* repeat
    if (step === "wipe") yield* models.clear("jobs.v1", beginning)
    if (step === "wipe shadow") yield* models.clear("jobs.v1~beside", beginning)
    if (step === "rebuild") rebuilds.push(yield* Effect.forkScoped(rebuild(jobs)))
    if (step === "interrupt a rebuild") {
      const last = rebuilds.pop()
      if (last !== undefined) yield* Fiber.interrupt(last)
    }
    if (step === "turn") { for (let turn = 0; turn < 5; turn++) yield* Effect.yieldNow }
    if (step === "time") yield* TestClock.adjust(300)
  }
  return rebuilds
})

describe("the read models", () => {
  it.effect.prop(
    "equal one replay, for any interleaving of projectors, rebuilds and repeated batches",
    [Schema.Array(Schema.Literals(steps)).check(Schema.isMinLength(12))],
    ([sequence]) =>
      Effect.gen(function* () {
        const { recorded, repeat } = yield* givenRepeats
        yield* Effect.gen(function* () {
          const rebuilds = yield* perform(sequence, repeat)
          yield* startProjector([jobs, trail])
          for (const fiber of rebuilds) {
            yield* untilDone(fiber)
            assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
          }
          yield* caughtUp("jobs.v1")
          yield* caughtUp("trail.v2")
          assert.deepStrictEqual(yield* dump("jobs.v1"), yield* replayed(jobs))
          assert.deepStrictEqual(yield* dump("trail.v2"), yield* replayed(trail))
        }).pipe(Effect.provideService(ReadModels, recorded))
      }).pipe(Effect.provide(layerPorts()), Effect.scoped),
    { arbitrary: { runs: runs(20), size: 40 } }
  )
})
