import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { getPage, openConsole, signedIn, TestBrowser } from "./given-console.ts"

const layerTest = Layer.merge(layerRunningService(), TestBrowser.layer)

/** Bytes of the overview with its files, before compression. */
const MOST_BYTES = 200_000

layer.live(layerTest)("the console's overview", (it) => {
  it.effect("shows today's figures, a used-up quota and the latest verifications, in less than 200 kB", function* () {
    const { admin, baseUrl, call, createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService({ name: "Coffee", quota: 2 })
    const slip = newSlip()
    yield* verify(mainBranch.apiKey, slip.payload)
    yield* verify(mainBranch.apiKey, slip.payload)
    yield* verify(mainBranch.apiKey, newSlip().payload)
    const failed = yield* verify(mainBranch.apiKey, newSlip({ outcome: "not-found" }).payload)
    assert.strictEqual(failed.status, 403)
    yield* eventually(
      admin<{ readonly total: { readonly verified: number; readonly duplicates: number } }>("GET", "/statistics"),
      ({ data: { total } }) => total.verified === 2 && total.duplicates === 1
    )
    // Each part of the page has a read model of its own.
    yield* eventually(
      call<{ readonly branch: { readonly quota: { readonly used: number } } }>("GET", "/v2/info", {
        key: mainBranch.apiKey
      }),
      ({ data }) => data.branch.quota.used === 2
    )
    yield* eventually(
      admin<{ readonly items: ReadonlyArray<unknown> }>("GET", "/verifications"),
      ({ data }) => data.items.length === 3
    )

    const { page, problems, requests } = yield* openConsole(baseUrl, "/console")
    const tiles = yield* Effect.promise(() => page.locator(".today li").allInnerTexts())
    const figures = tiles.map((text) => text.split("\n").slice(0, 2).map((part) => part.trim()))
    assert.deepStrictEqual(figures.slice(0, 4), [
      ["Verified", "2"],
      ["Duplicates", "1"],
      ["Failed", "0"],
      ["Volume (baht)", "200"]
    ])
    const problem = yield* Effect.promise(() => page.locator(".problems li").allInnerTexts())
    assert.deepStrictEqual(problem, ["The branch Coffee · Main has used its quota of 2 this month"])
    const results = yield* Effect.promise(() => page.locator("td[data-heading=Result]").allInnerTexts())
    assert.deepStrictEqual(results.map((text) => text.trim()).sort(), ["Duplicate", "Verified", "Verified"])

    const cookie = yield* signedIn(baseUrl)
    const sizes = yield* Effect.forEach(
      requests.filter((url) => url.startsWith(baseUrl)),
      (url) => Effect.flatMap(getPage("", url, { cookie }), (answer) => Effect.promise(() => answer.arrayBuffer()))
    )
    assert.isBelow(sizes.reduce((sum, { byteLength }) => sum + byteLength, 0), MOST_BYTES)
    assert.deepStrictEqual(problems, [])
  })

  it.effect("opens the table behind a plot without a script", function* () {
    const { baseUrl } = yield* RunningService
    const { page } = yield* openConsole(baseUrl, "/console", { javaScriptEnabled: false, width: 390 })
    const table = page.locator(".plot-table").first()
    yield* Effect.promise(() => table.locator("summary").click())
    const cells = yield* Effect.promise(() => table.locator("tbody tr").count())
    assert.strictEqual(cells, 24)
    assert.isTrue(yield* Effect.promise(() => table.locator("tbody tr").last().isVisible()))
  })
})
