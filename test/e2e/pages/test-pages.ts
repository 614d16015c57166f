import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { RunningService } from "../../support/service.ts"
import { TestBrowser } from "../console/given-console.ts"
import { DemoData } from "./demo-data.ts"
import { pageFaults } from "./page-faults.ts"
import { type SitePage, sitePages, uncovered } from "./site-pages.ts"
import { openWindow, windows } from "./windows.ts"

const layerTest = Layer.merge(DemoData.layer, TestBrowser.layer)

/** Tests the pages that `isShown` chooses for each window. `index` counts the pages of the three sites. */
export const testPages = (title: string, isShown: (index: number, window: number) => boolean): void =>
  layer.live(layerTest)(title, (it) => {
    it.effect("are those of the tables of pages", function* () {
      assert.deepStrictEqual(uncovered(yield* DemoData), [])
    })

    for (const [at, window] of windows.entries()) {
      it.effect(`are accessible and fit the window, without errors or requests to others: ${window.name}`, function* () {
        const { baseUrl } = yield* RunningService
        const { show } = yield* openWindow(window)
        const faultsOf = (sitePage: SitePage) =>
          Effect.scoped(Effect.gen(function* () {
            const { page, ...log } = yield* show(sitePage)
            const language = yield* Effect.promise(() => page.evaluate(() => document.documentElement.lang))
            const isOwn = sitePage.path.includes("/docs") || language === window.locale.slice(0, 2)
            const faults = (yield* pageFaults(page, log, baseUrl)).filter((fault) =>
              !(sitePage.isFailure === true && fault.startsWith("error: Failed to load resource"))
            )
            return [...faults, ...(isOwn ? [] : [`is in ${language}`])].map((fault) => `${sitePage.name} ${fault}`)
          }))
        const shown = sitePages(yield* DemoData).filter((_, index) => isShown(index, at))
        const faults = yield* Effect.forEach(shown, faultsOf)
        assert.deepStrictEqual(faults.flat(), [])
      })
    }
  })
