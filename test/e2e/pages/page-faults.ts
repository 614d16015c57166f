import { Effect } from "effect"
import type { Page } from "playwright-core"
import { accessibilityFaults } from "../../support/axe.ts"
import type { PageLog } from "../../support/browser.ts"

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
  const isTooWideUnfolded = yield* Effect.promise(() => isOverflowing(page))
  const inaccessible = yield* accessibilityFaults(page)
  return [
    ...(seen.heading?.trim() ? [] : ["has no heading"]),
    ...(seen.isTooWide ? ["scrolls to the side"] : []),
    ...(isTooWideUnfolded && !seen.isTooWide ? ["scrolls to the side when its sections are open"] : []),
    ...inaccessible.map((fault) => `is not accessible: ${JSON.stringify(fault)}`),
    // A page that is left at once stops the load of its icon.
    ...problems.filter((problem) => !problem.endsWith("/icon.svg")),
    ...requests.filter((url) => !url.startsWith(`${baseUrl}/`) && !url.startsWith("data:")).map((url) =>
      `requests ${url}`
    )
  ]
})
