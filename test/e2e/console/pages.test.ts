import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { accessibilityFaults } from "../../support/axe.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { openConsole, screenshot, TestBrowser, type Window } from "./given-console.ts"

const shop = Effect.gen(function* () {
  const service = yield* RunningService
  const { call, createService, verify } = service
  const { id: serviceId, mainBranch } = yield* createService({ name: "Shop of a test", quota: 10 })
  const { id: branchId, apiKey: key } = mainBranch
  const slip = newSlip()
  yield* verify(key, { payload: slip.payload, matchAmount: 99 })
  yield* verify(key, slip.payload)
  const failed = yield* verify(key, newSlip({ outcome: "not-found" }).payload)
  assert.strictEqual(failed.status, 404)
  const account = { bankCode: "004", bankNumber: "1234567890", nameTh: "นาย สมชาย ใจดี" }
  const registered = yield* call<{ readonly id: string }>("POST", "/v2/bank-accounts", { key, body: account })
  assert.strictEqual(registered.status, 201)
  const job = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
    key,
    body: { payload: newSlip().payload, callbackUrl: "https://nowhere.example/hook" }
  })
  const batch = yield* call<{ readonly batchId: string }>("POST", "/v2/verify/bank/batch", {
    key,
    body: { slips: [{ payload: newSlip().payload }] }
  })
  const { jobId } = job.data
  yield* eventually(
    call<{ readonly callback: { readonly attempts: number } }>("GET", `/v2/verify/bank/jobs/${jobId}`, { key }),
    ({ data }) => data.callback.attempts > 0
  )
  const { baseUrl } = service
  const paths = {
    overview: "/console",
    slip: `/console/trail/slip/004/${slip.transRef}`,
    job: `/console/trail/job/${jobId}`,
    branchTrail: `/console/trail/branch/${branchId}`,
    batch: `/console/batches/${batch.data.batchId}`,
    request: `/console/request?id=${batch.headers.get("x-request-id")}`,
    services: "/console/services",
    newService: "/console/services/new",
    service: `/console/services/${serviceId}`,
    newBranch: `/console/services/${serviceId}/new-branch`,
    branch: `/console/branches/${branchId}`,
    policy: `/console/branches/${branchId}/policy`,
    bankAccount: `/console/bank-accounts/${registered.data.id}`,
    callbacks: "/console/callbacks?state=pending",
    audit: "/console/audit",
    auditOfBranch: `/console/audit?subject=${branchId}&kind=QuotaSet`,
    projections: "/console/projections",
    find: "/console/find"
  }
  return { baseUrl, paths }
})

const windows: ReadonlyArray<Window & { readonly locale: string; readonly width: number }> = [
  { locale: "en-GB", width: 1280, colorScheme: "light" },
  { locale: "th-TH", width: 360, height: 740, colorScheme: "dark" }
]

const widthOf = (page: Page) => Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth))

const layerTest = Layer.merge(layerRunningService(), TestBrowser.layer)

layer(layerTest, { excludeTestServices: true })("console pages", (it) => {
  for (const window of windows) {
    const { colorScheme, locale, width } = window
    it.effect(
      `render without errors and are accessible in ${locale}, ${width} pixels wide, ${colorScheme}`,
      () =>
        Effect.gen(function* () {
          const { baseUrl, paths } = yield* shop
          const { page, requests, problems } = yield* openConsole(baseUrl, "/console", window)
          for (const [name, path] of Object.entries(paths)) {
            yield* Effect.promise(() => page.goto(baseUrl + path))
            const shown = yield* Effect.promise(() =>
              page.evaluate(() => ({
                language: document.documentElement.lang,
                heading: document.querySelector("h1")?.textContent?.trim() ?? "",
                isStyled: getComputedStyle(document.body).marginTop === "0px"
              }))
            )
            assert.deepInclude(shown, { language: locale.slice(0, 2), isStyled: true }, name)
            assert.notStrictEqual(shown.heading, "")
            assert.strictEqual(yield* widthOf(page), width, name)
            // Closed sections are checked too.
            yield* Effect.promise(() =>
              page.evaluate(() => {
                for (const details of document.querySelectorAll("details")) details.open = true
              })
            )
            assert.strictEqual(yield* widthOf(page), width, `${name}, unfolded`)
            assert.deepStrictEqual(yield* accessibilityFaults(page), [], name)
            assert.deepStrictEqual(problems, [], name)
            yield* screenshot(page, `${name}-${locale}-${width}-${colorScheme}`)
          }
          assert.deepStrictEqual(
            requests.filter((url) => !url.startsWith(`${baseUrl}/console`) && !url.startsWith("data:")),
            []
          )
        }).pipe(Effect.scoped)
    )
  }

  it.effect("are checked by a tool that detects low contrast and missing labels", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.scoped))

  it.effect("include an accessible sign-in page", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.scoped))
})
