import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { assertDrawn, fontsOf, loadedFaces, PACKAGED } from "../../support/thai-font.ts"
import { getPage, openConsole, TestBrowser } from "./given-console.ts"

const layerTest = Layer.merge(layerRunningService(), TestBrowser.layer)

layer.live(layerTest)("the console's Thai font", (it) => {
  it.effect("draws the letters of a Thai page, whatever fonts the machine has", function* () {
    const { baseUrl } = yield* RunningService
    const { page, problems } = yield* openConsole(baseUrl, "/console", { locale: "th-TH" })
    assert.deepStrictEqual(yield* loadedFaces(page), ["100 500", "501 900"])
    for (const selector of ["h1", "nav a", "th"]) {
      assert.deepStrictEqual(yield* fontsOf(page, selector), [PACKAGED], selector)
    }
    for (const selector of ["body", "h1"]) yield* assertDrawn(page, selector)
    assert.deepStrictEqual(problems, [])
  })

  it.effect("draws the link to the Thai page on an English page", function* () {
    const { baseUrl } = yield* RunningService
    const { page } = yield* openConsole(baseUrl, "/console", { locale: "en-GB" })
    assert.deepStrictEqual(yield* fontsOf(page, ".language"), [PACKAGED])
    yield* assertDrawn(page, ".language")
  })

  it.effect("is a file that browsers keep, compressed for those that accept it", function* () {
    const { baseUrl } = yield* RunningService
    const login = yield* Effect.promise(async () => (await fetch(`${baseUrl}/console/login`)).text())
    const sheet = /href="(\/console\/assets\/[0-9a-f]{16}\/thai-font\.css)"/u.exec(login)?.[1] ?? ""
    const style = yield* Effect.flatMap(getPage(baseUrl, sheet), (answer) => Effect.promise(() => answer.text()))
    const files = [...style.matchAll(/url\("([^"]+)"\)/gu)].map(([, file = ""]) => file)
    assert.lengthOf(files, 2)
    for (const file of files) {
      const packed = yield* getPage(baseUrl, file, { headers: { "accept-encoding": "gzip" } })
      assert.strictEqual(packed.headers.get("content-encoding"), "gzip")
      const smaller = yield* getPage(baseUrl, file, { headers: { "accept-encoding": "gzip, br" } })
      assert.strictEqual(smaller.headers.get("content-encoding"), "br")
      assert.strictEqual(packed.headers.get("cache-control"), "public, max-age=31536000, immutable")
      const plain = yield* getPage(baseUrl, file, { headers: { "accept-encoding": "identity" } })
      assert.isNull(plain.headers.get("content-encoding"))
      const [unpacked, content] = yield* Effect.promise(() => Promise.all([packed.bytes(), plain.bytes()]))
      assert.deepStrictEqual(unpacked, content)
      assert.isBelow(Number(packed.headers.get("content-length")), 60_000)
    }
  })
})
