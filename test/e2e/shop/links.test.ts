import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeSignInLink } from "../../../application/shop/sign-in-links.ts"
import { Callers } from "../../../application/provisioning/callers.ts"
import type { Scope } from "../../../domain/api-key.ts"
import { branchActor } from "../../../domain/actor.ts"
import { accessibilityFaults } from "../../support/axe.ts"
import { RunningService } from "../../support/service.ts"
import { formTokenIn, getPage, openConsole, sendForm, signedIn, TestBrowser } from "../console/given-console.ts"
import { layerShop, Shop } from "../given-shop.ts"
import { openShop } from "./given-shop-page.ts"

const layerTest = Layer.merge(TestBrowser.layer, layerShop({ PUBLIC_URL: "https://slips.shop.example" }))

interface KeyView {
  readonly id: string
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
}

const keysOf = (key: string) =>
  Effect.gen(function* () {
    const { call } = yield* RunningService
    return (yield* call<{ readonly items: ReadonlyArray<KeyView> }>("GET", "/v2/keys", { key })).data.items
  })

/** Makes a link in the console, and returns its path. */
const madeLink = Effect.fnUntraced(function* (fields: Readonly<Record<string, string>>) {
  const { baseUrl } = yield* RunningService
  const { branchId } = yield* Shop
  const cookie = yield* signedIn(baseUrl)
  const path = `/console/branches/${branchId}/new-sign-in-link`
  const form = yield* Effect.flatMap(
    getPage(baseUrl, path, { cookie }),
    (answer) => Effect.promise(() => answer.text())
  )
  const answer = yield* sendForm(baseUrl, path, { csrf: formTokenIn(form), ...fields }, { cookie })
  const html = yield* Effect.promise(() => answer.text())
  return {
    status: answer.status,
    html,
    path: /https:\/\/slips\.shop\.example(\/app\/link\/[0-9a-f]{64})/u.exec(html)?.[1]
  }
})

layer(layerTest, { excludeTestServices: true })("links to sign in to the shop's page", (it) => {
  it.effect("the console makes a link, which signs a device in with a key of its own", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* RunningService
      const { branchId, key } = yield* Shop
      const { page } = yield* openConsole(baseUrl, `/console/branches/${branchId}/new-sign-in-link`)
      const link = yield* Effect.promise(async () => {
        await page.fill("[name=name]", "Till 1")
        await page.click("button.primary")
        await page.waitForSelector(".qr")
        return (await page.getAttribute("[data-copy]", "data-copy")) ?? ""
      })
      assert.deepStrictEqual(yield* accessibilityFaults(page), [])
      const path = new URL(link).pathname

      const { page: device } = yield* openShop(baseUrl, path)
      assert.deepStrictEqual(yield* accessibilityFaults(device), [])
      assert.isFalse((yield* keysOf(key)).some(({ name }) => name === "Till 1"))
      yield* Effect.promise(async () => {
        await device.click("button.primary")
        await device.waitForSelector("#check")
      })
      const issued = (yield* keysOf(key)).find(({ name }) => name === "Till 1")
      assert.deepStrictEqual(issued?.scopes, ["verify"])

      const { call } = yield* RunningService
      yield* call("DELETE", `/v2/keys/${issued?.id}`, { key })
      yield* Effect.promise(() => device.goto(`${baseUrl}/app`))
      assert.include(device.url(), "/app/sign-in")
    }), 60_000)

  it.effect("of two devices that redeem one link at once, one is signed in", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* RunningService
      const { key } = yield* Shop
      const { path = "" } = yield* madeLink({ name: "Till 2", verify: "1" })
      const redeem = sendForm(baseUrl, path, {})
      const answers = yield* Effect.all([redeem, redeem, redeem], { concurrency: 3 })
      for (const [status, count] of [[303, 1], [410, 2]]) {
        assert.strictEqual(answers.filter((answer) => answer.status === status).length, count)
      }
      assert.strictEqual((yield* keysOf(key)).filter(({ name }) => name === "Till 2").length, 1)
    }))

  it.effect("refuses unknown and expired links, and a form of another site", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* RunningService
      const { branchId } = yield* Shop
      for (const token of ["0".repeat(64), "x", "%3Cscript%3E"]) {
        const answer = yield* sendForm(baseUrl, `/app/link/${token}`, {})
        assert.strictEqual(answer.status, 410, token)
        assert.notInclude(yield* Effect.promise(() => answer.text()), "<script>")
      }
      const operation = { actor: { kind: "admin", id: "api" }, correlationId: "c", clientRequestId: undefined } as const
      const ended = yield* makeSignInLink(branchId, { name: "Till", scopes: ["verify"], validHours: -1 }, operation)
      const late = yield* sendForm(baseUrl, `/app/link/${ended.token}`, {})
      assert.strictEqual(late.status, 410)
      assert.include(yield* Effect.promise(() => late.text()), "This link has expired.")
      const open = yield* makeSignInLink(branchId, { name: "Till", scopes: ["verify"], validHours: 1 }, operation)
      const headers = { "sec-fetch-site": "cross-site" }
      assert.strictEqual((yield* sendForm(baseUrl, `/app/link/${open.token}`, {}, { headers })).status, 403)
      assert.strictEqual((yield* sendForm(baseUrl, `/app/link/${open.token}`, {})).status, 303)
    }))

  it.effect("a link of a key gives no more than the key has, and ends with it", () =>
    Effect.gen(function* () {
      const { baseUrl, call } = yield* RunningService
      const { branchId, key } = yield* Shop
      const body = { name: "Owner", scopes: ["verify", "configure"] }
      const { data } = yield* call<KeyView & { readonly apiKey: string }>("POST", "/v2/keys", { key, body })
      const { key: asking } = yield* (yield* Callers).authenticate(data.apiKey)
      const operation = { actor: branchActor(branchId), correlationId: "c", clientRequestId: undefined }
      const make = (scopes: ReadonlyArray<Scope>) =>
        makeSignInLink(branchId, { name: "Till 3", scopes, validHours: 1 }, operation, { asking })
      assert.strictEqual((yield* Effect.flip(make(["read"])))._tag, "ApiKeyRefused")
      const { token } = yield* make(["verify"])
      yield* call("DELETE", `/v2/keys/${data.id}`, { key })
      const answer = yield* sendForm(baseUrl, `/app/link/${token}`, {})
      assert.strictEqual(answer.status, 410)
      assert.include(yield* Effect.promise(() => answer.text()), "This link no longer works")
    }))

  it.effect("the console shows a form that is not valid again", () =>
    Effect.gen(function* () {
      const { html, status } = yield* madeLink({ name: "Till", validHours: "500" })
      assert.strictEqual(status, 400)
      assert.include(html, "A whole number from 1 to 168.")
      assert.include(html, "At least one scope.")
    }))
})
