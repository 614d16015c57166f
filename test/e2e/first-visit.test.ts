import { assert, layer } from "../support/it.ts"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { countingProxy } from "../support/counting-proxy.ts"
import { RunningService } from "../support/service.ts"
import { assertDrawn, fontsOf, loadedFaces, PACKAGED } from "../support/thai-font.ts"
import { openConsole, TestBrowser } from "./console/given-console.ts"
import { layerShop, Shop } from "./given-shop.ts"
import { openShop } from "./shop/given-shop-page.ts"

const layerTest = Layer.merge(TestBrowser.layer, layerShop())

const locales = ["th-TH", "en-GB"] as const

/** Waits until the page, its fonts and its service worker have loaded. */
const loaded = (page: Page) =>
  Effect.promise(async () => {
    await page.waitForLoadState("networkidle")
    await page.evaluate("document.fonts.ready.then(() => undefined)")
  })

layer.live(layerTest)("a first visit with an empty cache", (it) => {
  for (const locale of locales) {
    it.effect(`transfers less than 150 kB for the shop's page, fonts and service worker included: ${locale}`, function* () {
      const { baseUrl } = yield* RunningService
      const { key } = yield* Shop
      const { bytes, url } = yield* countingProxy(baseUrl)
      const { page, problems } = yield* openShop(url, "/app", { key, locale })
      yield* loaded(page)
      yield* Effect.promise(() => page.evaluate("navigator.serviceWorker.ready.then(() => undefined)"))
      assert.isBelow(bytes(), 150_000)
      assert.isAbove(bytes(), 40_000)
      assert.deepStrictEqual(problems, [])
    })

    it.effect(`transfers less than 200 kB for the console: ${locale}`, function* () {
      const { baseUrl } = yield* RunningService
      const { bytes, url } = yield* countingProxy(baseUrl)
      const { page, problems } = yield* openConsole(url, "/console", { locale })
      yield* loaded(page)
      assert.isBelow(bytes(), 200_000)
      assert.isAbove(bytes(), 40_000)
      assert.deepStrictEqual(problems, [])
    })
  }
})

layer.live(layerTest)("the Thai font", (it) => {
  it.effect("draws the shop's page in Thai, whatever fonts the machine has", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { page } = yield* openShop(baseUrl, "/app", { key, locale: "th-TH" })
    assert.deepStrictEqual(yield* loadedFaces(page), ["100 500", "501 900"])
    for (const selector of ["h1", "nav a", "label[for=picture]"]) {
      assert.deepStrictEqual(yield* fontsOf(page, selector), [PACKAGED], selector)
    }
    for (const selector of ["body", "h1", "button"]) yield* assertDrawn(page, selector)
  })

  it.effect("draws the Thai page of the documentation and its frame", function* () {
    const { baseUrl } = yield* RunningService
    const { page } = yield* openShop(baseUrl, "/docs/th", { locale: "th-TH", width: 1_280 })
    for (const selector of ["#first-verification", "nav.side h2", "form.search button", ".skip"]) {
      assert.deepStrictEqual(yield* fontsOf(page, selector), [PACKAGED], selector)
    }
    for (const selector of ["body", "h1", "code"]) yield* assertDrawn(page, selector)
  })
})
