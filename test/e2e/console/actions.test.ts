import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { modelName } from "../../../projections/engine/model-name.ts"
import { branchesModel } from "../../../projections/models/branches.ts"
import { newSlip } from "../../support/client.ts"
import { loadedAtStart } from "../../support/loaded-with.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { openConsole, TestBrowser } from "./given-console.ts"

const layerTest = Layer.merge(layerRunningService({ ROLES: "http,projector" }), TestBrowser.layer)

const SCRIPT = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"

layer.live(layerTest)("an operator in the console", (it) => {
  it.effect("creates a service, whose name is always shown as text, and sees its key once", function* () {
    const { baseUrl, verify } = yield* RunningService
    const { page, problems } = yield* openConsole(baseUrl, "/console/services/new")
    const key = yield* Effect.promise(async () => {
      await page.getByLabel("Name").fill(SCRIPT)
      await page.getByLabel("Quota per month").fill("3")
      await page.getByRole("button", { name: "Create" }).click()
      await page.getByRole("heading", { name: "Save these now" }).waitFor()
      const shown = await page.locator(".secrets .copyable code").first().textContent()
      await page.getByLabel("I have saved them").check()
      await page.getByRole("button", { name: "Continue" }).click()
      await page.waitForURL(/\/console\/services\/[0-9a-f-]{36}\?saved=1$/u)
      assert.include(await page.locator("h1").textContent() ?? "", SCRIPT)
      assert.strictEqual(await page.title(), `${SCRIPT} · SlipTrail`)
      assert.notInclude(await page.content(), shown ?? "")
      return shown ?? ""
    })
    assert.strictEqual((yield* verify(key, newSlip().payload)).status, 200)
    yield* Effect.promise(async () => {
      for (
        const path of [
          `/console/find?q=${encodeURIComponent(SCRIPT)}`,
          `/console/services/${encodeURIComponent(SCRIPT)}`,
          "/console/services"
        ]
      ) {
        await page.goto(baseUrl + path)
        assert.notStrictEqual(await page.title(), "taken")
        assert.strictEqual(await page.locator("main script, main img").count(), 0)
      }
    })
    assert.deepStrictEqual(problems.filter((line) => !line.includes("404")), [])
  })

  it.effect("sees the errors of a rejected form, with the values as entered", function* () {
    const { admin, baseUrl, createService } = yield* RunningService
    const { mainBranch: { id } } = yield* createService()
    const { page } = yield* openConsole(baseUrl, `/console/branches/${id}`)
    yield* Effect.promise(async () => {
      await page.getByLabel("Quota per month").fill("20")
      await page.getByLabel("Allowed callers, one per line").fill("10.0.0.0/8\nnot-an-address")
      await page.getByLabel("Webhook URL").fill("http://shop.example/hook")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("alert").waitFor()
      assert.strictEqual(await page.getByLabel("Quota per month").inputValue(), "20")
      assert.strictEqual(
        await page.getByLabel("Allowed callers, one per line").inputValue(),
        "10.0.0.0/8\nnot-an-address"
      )
      assert.strictEqual(await page.getByLabel("Webhook URL").getAttribute("aria-invalid"), "true")
      assert.include(await page.locator("#field-ipWhitelist-error").textContent() ?? "", "CIDR")
    })
    const before = yield* admin<{ readonly quota: number | null }>("GET", `/branches/${id}`)
    assert.isNull(before.data.quota)
    yield* Effect.promise(async () => {
      await page.getByLabel("Allowed callers, one per line").fill("10.0.0.0/8\n2001:db8::/32")
      await page.getByLabel("Webhook URL").fill("https://shop.example/hook")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("status").getByText("Saved.").waitFor()
    })
    const { data } = yield* admin<object>("GET", `/branches/${id}`)
    assert.deepInclude(data, {
      quota: 20,
      ipWhitelist: ["10.0.0.0/8", "2001:db8::/32"],
      webhookUrl: "https://shop.example/hook"
    })
  })

  it.effect("gives a branch a new key after a confirmation, with the keyboard only", function* () {
    const { baseUrl, createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    const { page, problems } = yield* openConsole(baseUrl, `/console/branches/${mainBranch.id}`)
    const key = yield* Effect.promise(async () => {
      const { keyboard } = page
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
      await keyboard.press("Tab")
      assert.strictEqual(await focused(), "Skip to content")
      await keyboard.press("Enter")
      await page.locator("#content:focus").waitFor()
      for (let step = 0; step < 60 && (await focused()) !== "New default key"; step++) {
        await keyboard.press("Tab")
        const outline = await page.evaluate(() =>
          getComputedStyle(document.activeElement ?? document.body).outlineStyle
        )
        assert.notStrictEqual(outline, "none", await focused())
      }
      assert.strictEqual(await focused(), "New default key")
      await keyboard.press("Enter")
      await keyboard.press("Tab")
      assert.strictEqual(await page.evaluate(() => document.activeElement?.tagName), "INPUT")
      await keyboard.type("another name")
      await keyboard.press("Enter")
      // The wrong name shows the form again, opened, with its error and the focus in the field.
      await page.getByRole("alert").getByText("The text is not the name").waitFor()
      assert.strictEqual(await page.evaluate(() => document.activeElement?.getAttribute("name")), "confirm")
      await keyboard.press("ControlOrMeta+a")
      await keyboard.type(" Main ")
      await keyboard.press("Enter")
      await page.getByRole("heading", { name: "Save these now" }).waitFor()
      return await page.locator(".secrets .copyable code").first().textContent() ?? ""
    })
    assert.notStrictEqual(key, mainBranch.apiKey)
    assert.strictEqual((yield* verify(key, newSlip().payload)).status, 200)
    assert.strictEqual((yield* verify(mainBranch.apiKey, newSlip().payload)).status, 401)
    yield* Effect.promise(async () => {
      await page.goto(`${baseUrl}/console/trail/branch/${mainBranch.id}`)
      await page.locator(".cluster > details > summary", { hasText: "2 events" }).last().click()
      await page.locator(".what", { hasText: /API key \w+ revoked/u }).click()
      assert.include(await page.locator(".event details[open]").textContent() ?? "", "operator ADMIN_TOKEN (console)")
      await page.locator("h1").click()
      await page.keyboard.press("/")
      assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "q")
    })
    // The browser reports the answer to the wrong name.
    assert.deepStrictEqual(problems.filter((line) => !line.includes("400")), [])
  })

  it.effect("bans a service, removes the ban and deletes it", function* () {
    const { baseUrl, createService, verify } = yield* RunningService
    const { id, mainBranch: { apiKey } } = yield* createService()
    const { page } = yield* openConsole(baseUrl, `/console/services/${id}`)
    const code = Effect.map(verify(apiKey, newSlip().payload), ({ error }) => error?.code)
    const confirm = (name: string) =>
      Effect.promise(async () => {
        const sheet = page.locator("details.confirm", {
          has: page.locator("summary", { hasText: new RegExp(`^${name}$`, "u") })
        })
        await sheet.locator("summary").click()
        const field = sheet.getByLabel("To confirm, type")
        if (await field.count() > 0) await field.fill(await sheet.locator("label code").textContent() ?? "")
        await sheet.getByRole("button", { name }).click()
        await page.getByRole("status").waitFor()
      })
    yield* confirm("Ban")
    assert.strictEqual(yield* code, "SERVICE_BANNED")
    yield* Effect.promise(async () => {
      await page.getByRole("button", { name: "Remove ban" }).click()
      await page.getByRole("status").getByText("Ban removed.").waitFor()
    })
    assert.isUndefined(yield* code)
    yield* confirm("Delete")
    assert.strictEqual(yield* code, "SERVICE_DELETED")
    assert.strictEqual(yield* Effect.promise(() => page.getByRole("button", { name: "Save" }).count()), 0)
  })

  it.effect("rebuilds a read model and compares it with a replay", function* () {
    const { baseUrl } = yield* RunningService
    const { page, problems } = yield* openConsole(baseUrl, "/console/projections")
    yield* Effect.promise(async () => {
      const row = page.locator("tr", { hasText: modelName(branchesModel) })
      await row.locator("summary", { hasText: "Rebuild" }).click()
      await row.getByLabel("To confirm, type").fill("branches")
      await row.getByRole("button", { name: "Rebuild branches" }).click()
      await page.getByText("Rebuilt from the log and in use.").waitFor()
      await row.locator("summary", { hasText: "Compare" }).click()
      await row.getByRole("button", { name: "Compare branches" }).click()
      await page.getByText("The read model equals the replay").waitFor()
    })
    assert.deepStrictEqual(problems, [])
  })

  it("loads the console and the shop's page with their first request only", () => {
    const folders = ["infrastructure/web/console/", "infrastructure/web/shop/"]
    const loaded = loadedAtStart().filter((path) => folders.some((folder) => path.startsWith(folder)))
    assert.sameMembers([...loaded], folders.map((folder) => `${folder}routes.ts`))
  })
})
