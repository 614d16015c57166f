import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { useKey } from "../../support/key-use.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { openConsole, TestBrowser } from "./given-console.ts"

const layerTest = Layer.merge(layerRunningService({ ROLES: "http,projector" }), TestBrowser.layer)

layer.live(layerTest)("an operator in the console", (it) => {
  it.effect("creates a key for a till, sees it once, rotates it without downtime, and revokes it", function* () {
    const { baseUrl, call, createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    yield* useKey(mainBranch)
    const { page, problems } = yield* openConsole(baseUrl, `/console/branches/${mainBranch.id}`)
    const row = page.locator("section", { has: page.getByRole("heading", { name: "API keys" }) }).locator("tbody tr")
    const shownKey = async () => {
      await page.getByRole("heading", { name: "Save these now" }).waitFor()
      const key = await page.locator(".secrets .copyable code").first().textContent() ?? ""
      await page.getByLabel("I have saved them").check()
      await page.getByRole("button", { name: "Continue" }).click()
      await page.waitForURL(/\/console\/branches\/[0-9a-f-]{36}\?saved=1$/u)
      assert.notInclude(await page.content(), key)
      return key
    }

    const key = yield* Effect.promise(async () => {
      assert.include(await row.first().textContent() ?? "", "Default key")
      assert.include(await row.first().textContent() ?? "", new Date().toISOString().slice(0, 4))
      await page.getByRole("link", { name: "New key" }).click()
      await page.getByLabel("Name").fill("Till 3")
      await page.getByLabel("Networks").fill("127.0.0.0/8\nnonsense")
      await page.getByRole("button", { name: "New key" }).click()
      await page.getByRole("alert").waitFor()
      assert.include(await page.content(), "At least one scope.")
      assert.strictEqual(await page.getByLabel("Networks").inputValue(), "127.0.0.0/8\nnonsense")
      await page.getByLabel("verify: verify slips").check()
      await page.getByRole("button", { name: "New key" }).click()
      await page.getByRole("alert").waitFor()
      assert.isTrue(await page.getByLabel("verify: verify slips").isChecked())
      await page.getByLabel("Networks").fill("127.0.0.0/8")
      await page.getByRole("button", { name: "New key" }).click()
      return await shownKey()
    })
    assert.strictEqual((yield* verify(key, newSlip().payload)).status, 200)
    const refused = yield* call("PUT", "/v2/webhook", { key, body: { url: null } })
    assert.strictEqual(refused.error?.code, "SCOPE_MISSING")

    const next = yield* Effect.promise(async () => {
      await row.first().getByText("Rotate").first().click()
      await row.first().getByRole("button", { name: "Rotate" }).click()
      return await shownKey()
    })
    for (const each of [key, next]) assert.strictEqual((yield* verify(each, newSlip().payload)).status, 200)
    yield* eventually(
      Effect.promise(async () => {
        await page.reload()
        return await row.first().textContent() ?? ""
      }),
      (text) => text.includes(new Date().toISOString().slice(0, 4))
    )
    yield* Effect.promise(async () => {
      assert.include(await row.nth(1).textContent() ?? "", "replaced")
      await row.nth(1).getByText("Revoke").first().click()
      await row.nth(1).getByLabel("To confirm, type").fill("Till 3")
      await row.nth(1).getByRole("button", { name: "Revoke" }).click()
      await page.getByRole("status").waitFor()
      assert.include(await row.nth(1).textContent() ?? "", "revoked")
    })
    assert.strictEqual((yield* verify(key, newSlip().payload)).status, 401)
    assert.strictEqual((yield* verify(next, newSlip().payload)).status, 200)
    assert.deepStrictEqual(problems.filter((line) => !line.includes("400")), [])
  })
})
