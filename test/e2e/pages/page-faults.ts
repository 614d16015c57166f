import { Effect } from "effect"
import type { Page } from "playwright-core"
import { accessibilityFaults } from "../../support/axe.ts"
import type { PageLog } from "../../support/browser.ts"

/** Fonts of a page in which two Thai letters look the same: the browser draws a box for each. */
const boxedFonts = (page: Page) =>
  page.evaluate(async () => {
    const draw = (letter: string, font: string): string => {
      const canvas = document.createElement("canvas")
      canvas.width = 60
      canvas.height = 60
      const context = canvas.getContext("2d")
      if (context === null) return ""
      context.font = font
      context.fillText(letter, 5, 45)
      return canvas.toDataURL()
    }
    const fonts = new Set<string>()
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const element = text.parentElement
      if (element === null || !/[\u0e01-\u0e2e]/u.test(text.textContent ?? "") || !element.checkVisibility()) continue
      const { fontFamily, fontWeight } = getComputedStyle(element)
      fonts.add(`${fontWeight} 40px ${fontFamily}`)
    }
    await Promise.all([...fonts].map((font) => document.fonts.load(font, "กข")))
    return [...fonts].filter((font) => draw("ก", font) === draw("ข", font))
  })

const isOverflowing = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)

/** What is wrong with a page: one line for each fault. Opens the sections that a person can open. */
export const pageFaults = Effect.fnUntraced(function* (page: Page, { problems, requests }: PageLog, baseUrl: string) {
  const seen = yield* Effect.promise(async () => ({
    heading: await page.locator("h1").first().textContent(),
    isTooWide: await isOverflowing(page)
  }))
  yield* Effect.promise(() =>
    page.evaluate(() => {
      for (const details of document.querySelectorAll<HTMLDetailsElement>("main details")) details.open = true
    })
  )
  const [isTooWideUnfolded, boxed] = yield* Effect.promise(async () =>
    [await isOverflowing(page), await boxedFonts(page)] as const
  )
  const inaccessible = yield* accessibilityFaults(page)
  return [
    ...(seen.heading?.trim() ? [] : ["has no heading"]),
    ...(seen.isTooWide ? ["scrolls to the side"] : []),
    ...(isTooWideUnfolded && !seen.isTooWide ? ["scrolls to the side when its sections are open"] : []),
    ...boxed.map((font) => `draws boxes for Thai letters in ${font}`),
    ...inaccessible.map((fault) => `is not accessible: ${JSON.stringify(fault)}`),
    // A page that is left at once stops the load of its icon.
    ...problems.filter((problem) => !problem.endsWith("/icon.svg")),
    ...requests.filter((url) => !url.startsWith(`${baseUrl}/`) && !url.startsWith("data:")).map((url) =>
      `requests ${url}`
    )
  ]
})
