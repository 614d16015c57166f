import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import type { Route } from "playwright-core"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { openConsole, TestBrowser } from "./given-console.ts"

const layerTest = Layer.merge(layerRunningService({ ROLES: "http,projector" }), TestBrowser.layer)

/** A branch that was renamed, so that its trail has two times. */
const branchTrail = Effect.gen(function* () {
  const { admin, baseUrl, createService } = yield* RunningService
  const { mainBranch: { id } } = yield* createService()
  assert.strictEqual((yield* admin("PATCH", `/branches/${id}`, { name: "Renamed" })).status, 200)
  return { baseUrl, path: `/console/trail/branch/${id}` }
})

const failures: ReadonlyArray<{ readonly failure: string; readonly answer: (route: Route) => Promise<void> }> = [
  { failure: "a failed request", answer: (route) => route.abort() },
  {
    failure: "an error response",
    answer: (route) => route.fulfill({ status: 500, contentType: "text/html", body: "<main><h1>Broken</h1></main>" })
  }
]

layer.live(layerTest)("the slider", (it) => {
  it.effect.each(failures)("reports $failure, and works again afterwards", function* ({ answer }) {
    const { baseUrl, path } = yield* branchTrail
    const { page } = yield* openConsole(baseUrl, path)
    yield* Effect.promise(async () => {
      const state = page.locator("#state")
      const hasTime = (url: URL) => url.searchParams.has("at")
      await page.route(hasTime, answer)
      await page.getByLabel("Move through the events").focus()
      await page.keyboard.press("Home")
      await state.getByText("Currently unavailable").waitFor()
      assert.strictEqual(await page.getByText("Broken").count(), 0)
      assert.strictEqual(await state.locator("dt").count(), 0)
      await page.unroute(hasTime)
      await page.keyboard.press("End")
      await state.locator("dd", { hasText: "Renamed" }).waitFor()
    })
  })

  it.effect("starts at any time that its field can hold, and rejects other times", function* () {
    const { baseUrl, path } = yield* branchTrail
    const { page, problems } = yield* openConsole(baseUrl, `${path}?at=9999-12-31T23:59:59.999`)
    yield* Effect.promise(async () => {
      assert.strictEqual(await page.getByLabel("Time in Bangkok").inputValue(), "9999-12-31T23:59:59.999")
      await page.goto(`${baseUrl}${path}?at=9999-12-31T23:59:59.999-14:00`)
      await page.getByRole("alert").getByText("Not a valid time").waitFor()
      assert.notStrictEqual(await page.getByLabel("Time in Bangkok").inputValue(), "")
    })
    assert.deepStrictEqual(problems, [])
  })
})
