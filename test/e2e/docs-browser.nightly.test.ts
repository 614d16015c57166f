import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { newWindow, openPage, sizes, startBrowser } from "../support/browser.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

const open = Effect.fnUntraced(function* (path: string, size: keyof typeof sizes = "wide") {
  const { baseUrl } = yield* RunningService
  return { baseUrl, ...yield* openPage(yield* startBrowser, baseUrl + path, sizes[size]) }
})

const heading = (page: Page, id: string) => page.locator(`#${id} h2`).boundingBox()

layer.live(layerRunningService({ ROLES: "http,projector" }))("the documentation in a browser", (it) => {
  it.effect("loads its own files only, and refuses injected scripts", function* () {
    const { baseUrl, page, problems, requests } = yield* open("/docs")
    for (const url of requests) assert.isTrue(url.startsWith(`${baseUrl}/docs`), url)
    assert.deepStrictEqual(problems, [])
    const refused = yield* Effect.promise(() =>
      page.evaluate(() =>
        new Promise<string>((resolve) => {
          document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective))
          const script = document.createElement("script")
          script.textContent = "document.title = 'taken over'"
          document.body.append(script)
        })
      )
    )
    assert.strictEqual(refused, "script-src-elem")
    assert.notStrictEqual(yield* Effect.promise(() => page.title()), "taken over")
  })

  it.effect("follows links to operations of the former single page", function* () {
    const { page, problems } = yield* open("/docs#createBankAccount")
    yield* Effect.promise(async () => {
      await page.waitForURL("**/docs/reference/bank-accounts#createBankAccount")
      await page.locator("#createBankAccount h2").waitFor()
      const box = await heading(page, "createBankAccount")
      assert.isTrue(box !== null && box.y > 0 && box.y < sizes.wide.height)
    })
    // Leaving a page aborts the load of its fonts.
    assert.deepStrictEqual(problems.filter((problem) => !problem.endsWith(".ttf")), [])
  })

  it.effect("searches while the reader types, with the keyboard, and shows a hostile query as text", function* () {
    const { page, problems } = yield* open("/docs")
    yield* Effect.promise(async () => {
      await page.keyboard.press("/")
      await page.keyboard.type("slip pend")
      await page.locator("#results li").first().waitFor()
      assert.strictEqual(await page.locator("#results li .title").first().textContent(), "SLIP_PENDING")
      await page.keyboard.press("Escape")
      assert.isFalse(await page.locator("#results").isVisible())

      await page.locator("#q").fill(`"><img src=x onerror="document.title='taken over'">`)
      await page.locator("#q").fill("verifyBankBatch")
      await page.locator("#results li .detail", { hasText: "POST /v2/verify/bank/batch" }).waitFor()
      await page.keyboard.press("ArrowDown")
      const active = await page.locator("#q").getAttribute("aria-activedescendant")
      assert.strictEqual(await page.locator(`#${active}`).getAttribute("aria-selected"), "true")
      await page.keyboard.press("Enter")
      await page.waitForURL("**/docs/reference/later#verifyBankBatch")

      // Without a chosen result, Enter asks the server.
      await page.locator("#q").fill("<b>quota</b>")
      await page.keyboard.press("Enter")
      await page.waitForURL("**/docs/search?q=*")
      assert.include(await page.locator("main").textContent() ?? "", "“<b>quota</b>”")
      assert.isAbove(await page.locator(".results li").count(), 0)

      await page.locator("#q").fill("createApiKey")
      await page.locator("#results li").first().click()
      await page.waitForURL("**/docs/reference/api-keys#createApiKey")
      await page.locator("#q").fill("webhook")
      await page.locator("#results li").first().waitFor()
      // The list covers the middle of the heading.
      await page.locator("main h1").click({ position: { x: 5, y: 5 } })
      assert.isFalse(await page.locator("#results").isVisible())
    })
    assert.deepStrictEqual(problems, [])
  })

  it.effect("remembers the language of code for all blocks and pages", function* () {
    const { baseUrl, page, problems } = yield* open("/docs/reference/verification")
    yield* Effect.promise(async () => {
      const shown = (id: string) => page.locator(`#verifyBank .code > .tabs .panel.${id}`).isVisible()
      assert.deepStrictEqual([await shown("curl"), await shown("python")], [true, false])
      await page.locator("#verifyBank .code > .tabs input[value=curl]").focus()
      for (const _ of ["typescript", "php", "python"]) await page.keyboard.press("ArrowRight")
      assert.deepStrictEqual([await shown("curl"), await shown("python")], [false, true])
      assert.isTrue(await page.locator("#decode .code > .tabs .panel.python").isVisible())
      await page.goto(`${baseUrl}/docs/using-the-api`)
      assert.isTrue(await page.locator(".tabs .panel.python").first().isVisible())
      assert.isFalse(await page.locator(".tabs .panel.curl").first().isVisible())
    })
    assert.deepStrictEqual(problems, [])
  })

  it.effect("copies code exactly", function* () {
    const { page, problems } = yield* open("/docs/reference/bank-accounts")
    yield* Effect.promise(async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
      const block = page.locator("#createBankAccount .code > .tabs .panel.curl")
      await block.getByRole("button", { name: "Copy" }).click()
      await block.getByText("Copied").waitFor()
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      assert.match(copied, /^curl -s "\$BASE_URL\/v2\/bank-accounts" \\\n/u)
      assert.include(copied, `"nameTh": "นาย สมหมาย ทดสอบ"`)
    })
    assert.deepStrictEqual(problems, [])
  })

  it.effect("works without a script: tabs switch, and the search answers", function* () {
    const { baseUrl } = yield* RunningService
    const browser = yield* startBrowser
    const context = yield* newWindow(browser, { javaScriptEnabled: false, viewport: sizes.wide })
    yield* Effect.promise(async () => {
      const page = await context.newPage()
      await page.goto(`${baseUrl}/docs`)
      await page.locator(".tabs input[value=php]").first().check()
      assert.isTrue(await page.locator(".tabs .panel.php").first().isVisible())
      assert.strictEqual(await page.locator("button.copy:visible").count(), 0)
      await page.locator("#q").fill("webhook")
      await page.getByRole("button", { name: "Search" }).click()
      await page.waitForURL("**/docs/search?q=webhook")
      assert.isAbove(await page.locator(".results li").count(), 3)
    })
  })

  it.effect("has a menu on a phone", function* () {
    const { page, problems } = yield* open("/docs/reference/later", "phone")
    yield* Effect.promise(async () => {
      assert.isFalse(await page.locator("nav.side").isVisible())
      await page.locator("nav.menu summary").click()
      await page.locator("nav.menu").getByText("A job and its result").click()
      const box = await heading(page, "getJob")
      assert.isTrue(box !== null && box.y >= 0 && box.y < sizes.phone.height)
    })
    assert.deepStrictEqual(problems, [])
  })
})
