import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestBrowser } from "../console/given-console.ts"
import { DemoData } from "./demo-data.ts"
import { checkThreeSlips, findWhatTheShopWasTold, findWhoLooked } from "./tasks.ts"

const layerTest = Layer.merge(DemoData.layer, TestBrowser.layer)

layer(layerTest, { excludeTestServices: true })("a person who has not seen the pages before", (it) => {
  it.effect("signs in with a link, and checks a good slip, its duplicate, and one with a wrong amount", () =>
    Effect.gen(function* () {
      const { steps } = yield* checkThreeSlips
      assert.strictEqual(steps.at(-1)?.text, "reads “Wrong amount”")
    }).pipe(Effect.scoped))

  it.effect("finds a slip by the end of its reference, and what the shop was told", () =>
    Effect.gen(function* () {
      const { steps } = yield* findWhatTheShopWasTold
      assert.isAtMost(steps.length, 5)
    }).pipe(Effect.scoped))

  it.effect("finds who looked at a slip", () =>
    Effect.gen(function* () {
      const { steps } = yield* findWhoLooked
      assert.isAtMost(steps.length, 5)
    }).pipe(Effect.scoped))
})
