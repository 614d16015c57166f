import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { newSlip } from "../../support/client.ts"
import { RunningService } from "../../support/service.ts"
import { TestBrowser } from "../console/given-console.ts"
import { layerShop, Shop } from "../given-shop.ts"
import { headline, openShop } from "./given-shop-page.ts"

layer.live(Layer.merge(TestBrowser.layer, layerShop()))("a slip that is checked later", (it) => {
  it.effect("the page of a job loads itself again until the verdict", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { page } = yield* openShop(baseUrl, "/app", { key })
    yield* Effect.promise(async () => {
      await page.click("#paste summary")
      await page.fill("#payload", newSlip({ outcome: "retry" }).payload)
      await page.click("#send")
      await page.waitForSelector(".verdict.good")
    })
    assert.strictEqual(yield* headline(page), "Accepted")
  })
})
