import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { getPage, openConsole, TestBrowser } from "./given-console.ts"

/** How the page draws texts in the font of an element, as pictures, and the letters for which no font has a glyph. */
const drawnIn = (page: Page, selector: string, texts: ReadonlyArray<string>) =>
  Effect.promise(() =>
    page.evaluate(async ({ selector, texts }) => {
      await document.fonts.ready
      const element = document.querySelector(selector) ?? document.body
      const { fontFamily, fontWeight } = getComputedStyle(element)
      const draw = (text: string, family: string): string => {
        const canvas = document.createElement("canvas")
        canvas.width = 400
        canvas.height = 80
        const context = canvas.getContext("2d")
        if (context === null) return ""
        context.font = `${fontWeight} 40px ${family}`
        context.fillText(text, 10, 55)
        return canvas.toDataURL()
      }
      return texts.map((text) => ({
        inFamily: draw(text, fontFamily),
        inThaiFont: draw(text, "'SlipTrail Thai'"),
        // No font has this code point, so the picture is the box for a missing glyph.
        missing: draw("\u{10FFFE}".repeat(text.length), fontFamily)
      }))
    }, { selector, texts })
  )

/** The names of the fonts that draw the text of an element, and whether the page provides them. */
const fontsOf = (page: Page, selector: string) =>
  Effect.promise(async () => {
    await page.evaluate(() => document.fonts.ready)
    const debug = await page.context().newCDPSession(page)
    await debug.send("DOM.enable")
    await debug.send("CSS.enable")
    const { root } = await debug.send("DOM.getDocument", { depth: 0 })
    const { nodeId } = await debug.send("DOM.querySelector", { nodeId: root.nodeId, selector })
    const { fonts } = await debug.send("CSS.getPlatformFontsForNode", { nodeId })
    return fonts.map(({ familyName, isCustomFont }) => [familyName, isCustomFont] as const)
  })

const PACKAGED = ["IBM Plex Sans Thai", true] as const

/** The weights of the Thai font that the page has loaded. */
const loadedFaces = (page: Page) =>
  Effect.promise(() =>
    page.evaluate(async () => {
      await document.fonts.ready
      return [...document.fonts].filter(({ status }) => status === "loaded").map(({ weight }) => weight).sort()
    })
  )

const letters = ["ก", "ข", "ค", "ง", "ที่"] as const

const layerTest = Layer.merge(layerRunningService(), TestBrowser.layer)

layer(layerTest, { excludeTestServices: true })("the console's Thai font", (it) => {
  it.effect("draws the letters of a Thai page, whatever fonts the machine has", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* RunningService
      const { page, problems } = yield* openConsole(baseUrl, "/console", { locale: "th-TH" })
      assert.deepStrictEqual(yield* loadedFaces(page), ["100 500", "501 900"])
      for (const selector of ["h1", "nav a", "th"]) {
        assert.deepStrictEqual(yield* fontsOf(page, selector), [PACKAGED], selector)
      }
      for (const selector of ["body", "h1"]) {
        const drawn = yield* drawnIn(page, selector, letters)
        for (const { inFamily, inThaiFont, missing } of drawn) {
          assert.strictEqual(inFamily, inThaiFont)
          assert.notStrictEqual(inFamily, missing)
        }
        // A box for a missing glyph would make all letters look the same.
        assert.strictEqual(new Set(drawn.slice(0, 4).map(({ inFamily }) => inFamily)).size, 4)
      }
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.effect("draws the link to the Thai page on an English page", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* RunningService
      const { page } = yield* openConsole(baseUrl, "/console", { locale: "en-GB" })
      assert.deepStrictEqual(yield* fontsOf(page, ".language"), [PACKAGED])
      const drawn = yield* drawnIn(page, ".language", letters)
      assert.strictEqual(new Set(drawn.slice(0, 4).map(({ inFamily }) => inFamily)).size, 4)
      for (const { inFamily, missing } of drawn) assert.notStrictEqual(inFamily, missing)
    }).pipe(Effect.scoped))

  it.effect("is a file that browsers keep, compressed for those that accept it", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* RunningService
      const login = yield* Effect.promise(async () => (await fetch(`${baseUrl}/console/login`)).text())
      const sheet = /href="(\/console\/assets\/[0-9a-f]{16}\/thai-font\.css)"/u.exec(login)?.[1] ?? ""
      const style = yield* Effect.flatMap(getPage(baseUrl, sheet), (answer) => Effect.promise(() => answer.text()))
      const files = [...style.matchAll(/url\("([^"]+)"\)/gu)].map(([, file = ""]) => file)
      assert.lengthOf(files, 2)
      for (const file of files) {
        const packed = yield* getPage(baseUrl, file, { headers: { "accept-encoding": "gzip, br" } })
        assert.strictEqual(packed.headers.get("content-encoding"), "br")
        assert.strictEqual(packed.headers.get("cache-control"), "public, max-age=31536000, immutable")
        const plain = yield* getPage(baseUrl, file, { headers: { "accept-encoding": "identity" } })
        assert.isNull(plain.headers.get("content-encoding"))
        const [unpacked, content] = yield* Effect.promise(() => Promise.all([packed.bytes(), plain.bytes()]))
        assert.deepStrictEqual(unpacked, content)
        assert.isBelow(Number(packed.headers.get("content-length")), 60_000)
      }
    }))
})
