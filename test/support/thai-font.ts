import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"

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
export const fontsOf = (page: Page, selector: string) =>
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

/** What `fontsOf` returns for text that the Thai font draws. */
export const PACKAGED = ["IBM Plex Sans Thai", true] as const

/** The weights of the Thai font that the page has loaded. */
export const loadedFaces = (page: Page) =>
  Effect.promise(() =>
    page.evaluate(async () => {
      await document.fonts.ready
      return [...document.fonts].filter(({ status }) => status === "loaded").map(({ weight }) => weight).sort()
    })
  )

const letters = ["ก", "ข", "ค", "ง", "ที่"] as const

/** Asserts that the font of an element has a glyph for Thai letters, and that the Thai font draws them. */
export const assertDrawn = Effect.fnUntraced(function* (page: Page, selector: string) {
  const drawn = yield* drawnIn(page, selector, letters)
  for (const { inFamily, inThaiFont, missing } of drawn) {
    assert.strictEqual(inFamily, inThaiFont, selector)
    assert.notStrictEqual(inFamily, missing, selector)
  }
  // A box for a missing glyph would make all letters look the same.
  assert.strictEqual(new Set(drawn.slice(0, 4).map(({ inFamily }) => inFamily)).size, 4, selector)
})
