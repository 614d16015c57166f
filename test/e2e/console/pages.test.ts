import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { accessibilityFaults } from "../../support/axe.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { openConsole, TestBrowser } from "./given-console.ts"

const widthOf = (page: Page) => Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth))

const layerTest = Layer.merge(layerRunningService(), TestBrowser.layer)

layer.live(layerTest)("pages of the console", (it) => {
  it.effect("are checked by a tool that detects low contrast and missing labels", function* () {
    const { baseUrl } = yield* RunningService
    const { page } = yield* openConsole(baseUrl, "/console/services/new")
    yield* Effect.promise(() =>
      page.evaluate(() => {
        document.querySelector<HTMLElement>("main h1")?.style.setProperty("color", "#bbb")
        document.querySelector("main label")?.remove()
      })
    )
    const found = JSON.stringify(yield* accessibilityFaults(page))
    assert.include(found, '"color-contrast"')
    assert.include(found, '"label"')
  })

  it.effect("include an accessible sign-in page", function* () {
    const { baseUrl } = yield* RunningService
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, problems } = yield* openConsole(baseUrl, "/console", { width: 360, colorScheme })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.waitForURL(`${baseUrl}/console/login`)
        await page.getByRole("link", { name: "ภาษาไทย" }).click()
        await page.getByRole("heading", { name: "เข้าสู่ระบบ" }).waitFor()
      })
      assert.deepStrictEqual(yield* accessibilityFaults(page), [])
      assert.strictEqual(yield* widthOf(page), 360)
      assert.deepStrictEqual(problems, [])
    }
  })
})
