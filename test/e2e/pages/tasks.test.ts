import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestBrowser } from "../console/given-console.ts"
import { DemoData } from "./demo-data.ts"
import { checkThreeSlips, findWhatTheShopWasTold, findWhoLooked, type Task } from "./tasks.ts"

const layerTest = Layer.merge(DemoData.layer, TestBrowser.layer)

/** The seconds of the person: those of the pages depend on the machine. */
const secondsOf = ({ steps }: Task): number => steps.reduce((sum, { person }) => sum + person, 0)

layer(layerTest, { excludeTestServices: true })("a person who has not seen the pages before", (it) => {
  it.effect("signs in with a link, and checks a good slip, its duplicate, and one with a wrong amount", () =>
    Effect.gen(function* () {
      assert.isBelow(secondsOf(yield* checkThreeSlips), 55)
    }).pipe(Effect.scoped))

  it.effect("finds a slip by the end of its reference, and what the shop got as an answer", () =>
    Effect.gen(function* () {
      assert.isBelow(secondsOf(yield* findWhatTheShopWasTold), 20)
    }).pipe(Effect.scoped))

  it.effect("finds who looked at a slip", () =>
    Effect.gen(function* () {
      assert.isBelow(secondsOf(yield* findWhoLooked), 25)
    }).pipe(Effect.scoped))
})
