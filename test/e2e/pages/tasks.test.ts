import { assert, layer } from "../../support/it.ts"
import { Layer } from "effect"
import { TestBrowser } from "../console/given-console.ts"
import { DemoData } from "./demo-data.ts"
import { checkThreeSlips, findWhatTheShopWasTold, findWhoLooked, type Task } from "./tasks.ts"

const layerTest = Layer.merge(DemoData.layer, TestBrowser.layer)

/** The seconds of the person: those of the pages depend on the machine. */
const secondsOf = ({ steps }: Task): number => steps.reduce((sum, { person }) => sum + person, 0)

layer.live(layerTest)("a person who has not seen the pages before", (it) => {
  it.effect("signs in with a link, and checks a good slip, its duplicate, and one with a wrong amount", function* () {
    assert.isBelow(secondsOf(yield* checkThreeSlips), 55)
  })

  it.effect("finds a slip by the end of its reference, and what the shop got as an answer", function* () {
    assert.isBelow(secondsOf(yield* findWhatTheShopWasTold), 20)
  })

  it.effect("finds who looked at a slip", function* () {
    assert.isBelow(secondsOf(yield* findWhoLooked), 25)
  })
})
