import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { accessibilityFaults } from "../../support/axe.ts"
import { newSlip } from "../../support/client.ts"
import { RunningService } from "../../support/service.ts"
import { getPage, TestBrowser, type Window } from "../console/given-console.ts"
import { layerShop, Shop } from "../given-shop.ts"
import { openShop, pictureOf, screenshot } from "./given-shop-page.ts"

const layerTest = Layer.merge(TestBrowser.layer, layerShop())

const windows: ReadonlyArray<Window & { readonly name: string }> = [
  { name: "phone-en", width: 390, height: 844, locale: "en-GB", colorScheme: "light" },
  { name: "phone-th-dark", width: 390, height: 844, locale: "th-TH", colorScheme: "dark" },
  { name: "wide-th", width: 1440, height: 900, locale: "th-TH", colorScheme: "light" },
  { name: "wide-en-dark", width: 1440, height: 900, locale: "en-GB", colorScheme: "dark" }
]

/** What a first load may transfer, in bytes. */
const BUDGET = 150_000

layer(layerTest, { excludeTestServices: true })("pages of the shop", (it) => {
  for (const window of windows) {
    it.effect(`are accessible and fit the window: ${window.name}`, () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* RunningService
        const { key } = yield* Shop
        const look = Effect.fnUntraced(function* (page: Parameters<typeof screenshot>[0], name: string) {
          assert.deepStrictEqual(yield* accessibilityFaults(page), [], name)
          const overflow = yield* Effect.promise(() =>
            page.evaluate("document.documentElement.scrollWidth - innerWidth")
          )
          assert.isAtMost(Number(overflow), 0, name)
          yield* screenshot(page, `${name}-${window.name}`)
        })
        const signedOut = yield* openShop(baseUrl, "/app", window)
        yield* look(signedOut.page, "sign-in")

        const { page, problems } = yield* openShop(baseUrl, "/app", { ...window, key })
        yield* look(page, "check")
        const picture = yield* pictureOf(newSlip())
        for (const name of ["accepted", "duplicate"]) {
          yield* Effect.promise(async () => {
            await page.goto(`${baseUrl}/app`)
            await page.fill("#amount", "250")
            await page.setInputFiles("#picture", picture)
            await page.waitForSelector(".verdict")
          })
          yield* look(page, name)
        }
        assert.deepStrictEqual(problems, [])
        yield* Effect.promise(async () => {
          await page.goto(`${baseUrl}/app`)
          await page.click("#paste summary")
          await page.fill("#payload", newSlip({ outcome: "pending" }).payload)
          await page.click("#send")
          await page.waitForSelector("#countdown")
        })
        yield* look(page, "pending")
      }), 90_000)
  }

  it.effect("the first load transfers less than 150 kB, and the camera's files come later", () =>
    Effect.gen(function* () {
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
    }))

  it.effect("shows a notice when the service cannot be reached", () =>
    Effect.gen(function* () {
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
    }))

  it.effect("can be installed, in the language of the browser", () =>
    Effect.gen(function* () {
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
    }))
})
