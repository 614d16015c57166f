import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { RunningService } from "../../support/service.ts"
import { getPage, TestBrowser } from "../console/given-console.ts"
import { layerShop, Shop } from "../given-shop.ts"
import { openShop } from "./given-shop-page.ts"

const layerTest = Layer.merge(TestBrowser.layer, layerShop())

/** What a first load may transfer, in bytes. */
const BUDGET = 150_000

layer.live(layerTest)("pages of the shop", (it) => {
  it.effect("the first load transfers less than 150 kB, and the camera's files come later", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { page, requests } = yield* openShop(baseUrl, "/app", { key })
    const paths = [...new Set(requests)].filter((url) => url.startsWith(baseUrl)).map((url) =>
      url.slice(baseUrl.length)
    )
    assert.isFalse(paths.some((path) => path.includes("jsQR") || path.includes("camera.js")))
    const sizes = yield* Effect.forEach(
      paths,
      (path) =>
        Effect.flatMap(
          getPage(baseUrl, path, { headers: { "accept-encoding": "br" } }),
          (answer) => Effect.promise(async () => (await answer.arrayBuffer()).byteLength)
        )
    )
    // fetch decodes: the sum is above what is transferred.
    assert.isBelow(sizes.reduce((sum, size) => sum + size, 0), BUDGET)
    const script = paths.find((path) => path.endsWith("shop.js")) ?? ""
    const compressed = yield* getPage(baseUrl, script, { headers: { "accept-encoding": "gzip;q=0, br" } })
    assert.strictEqual(compressed.headers.get("content-encoding"), "br")
    assert.strictEqual(yield* Effect.promise(() => page.title()), "Check a slip · SlipTrail")
  })

  it.effect("shows a notice when the service cannot be reached", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { page } = yield* openShop(baseUrl, "/app", { key })
    yield* Effect.promise(async () => {
      await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
      await page.reload()
      await page.context().setOffline(true)
      await page.reload()
    })
    assert.strictEqual(yield* Effect.promise(() => page.innerText("h1")), "No connection")
    assert.strictEqual(
      yield* Effect.promise(() =>
        page.evaluate("caches.open('sliptrail-shop').then((c) => c.keys()).then((k) => k.length)")
      ),
      2
    )
  })

  it.effect("can be installed, in the language of the browser", function* () {
    const { baseUrl } = yield* RunningService
    const headers = { "accept-language": "th" }
    const answer = yield* getPage(baseUrl, "/app/manifest.webmanifest", { headers })
    const manifest: {
      readonly lang: string
      readonly scope: string
      readonly icons: ReadonlyArray<{ src: string }>
    } = yield* Effect.promise(() => answer.json())
    assert.deepStrictEqual([manifest.lang, manifest.scope], ["th", "/app"])
    for (const { src } of manifest.icons) assert.strictEqual((yield* getPage(baseUrl, src)).status, 200, src)
  })
})
