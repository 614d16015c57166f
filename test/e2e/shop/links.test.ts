import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { makeSignInLink } from "../../../application/shop/sign-in-links.ts"
import { Callers } from "../../../application/provisioning/callers.ts"
import type { Scope } from "../../../domain/api-key.ts"
import { branchActor } from "../../../domain/actor.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { accessibilityFaults } from "../../support/axe.ts"
import { RunningService } from "../../support/service.ts"
import { formTokenIn, getPage, openConsole, sendForm, signedIn, TestBrowser, textOf } from "../console/given-console.ts"
import { layerShop, Shop } from "../given-shop.ts"
import { openShop, signedInAs } from "./given-shop-page.ts"

const layerTest = Layer.merge(TestBrowser.layer, layerShop({ PUBLIC_URL: "https://slips.shop.example" }))

interface Link {
  readonly link: string
  readonly keyId: string
  readonly expiresAt: string
  readonly scopes: ReadonlyArray<Scope>
}

interface NewKey {
  readonly id: string
  readonly apiKey: string
}

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

layer.live(layerTest)("links to sign in to the shop's page", (it) => {
  it.effect("the console makes a link, which signs a device in with a key of its own", function* () {
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
  })

  it.effect("of two devices that redeem one link at once, one is signed in", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { path = "" } = yield* madeLink({ name: "Till 2", verify: "1" })
    const redeem = sendForm(baseUrl, path, {})
    const answers = yield* Effect.all([redeem, redeem, redeem], { concurrency: 3 })
    for (const [status, count] of [[303, 1], [410, 2]]) {
      assert.strictEqual(answers.filter((answer) => answer.status === status).length, count)
    }
    assert.strictEqual((yield* keysOf(key)).filter(({ name }) => name === "Till 2").length, 1)
  })

  it.effect("refuses unknown and expired links, and a form of another site", function* () {
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
  })

  it.effect("a link of a key gives no more than the key has, and ends with it", function* () {
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
    assert.include(yield* textOf(answer), "This link no longer works")
  })

  it.effect("the admin API makes a link, names the key that it will issue, and records the operator", function* () {
    const { admin, baseUrl } = yield* RunningService
    const { branchId, key } = yield* Shop
    const path = `/branches/${branchId}/sign-in-links`
    const made = yield* admin<Link>("POST", path, { name: "Till 5", scopes: ["verify", "read"] })
    assert.strictEqual(made.status, 201, made.text)
    const { keyId, link, scopes } = made.data
    assert.deepStrictEqual(scopes, ["verify", "read"])
    assert.isAbove(Date.parse(made.data.expiresAt), Date.now() + 23 * 3_600_000)

    assert.strictEqual((yield* sendForm(baseUrl, new URL(link).pathname, {})).status, 303)
    assert.strictEqual((yield* keysOf(key)).find(({ name }) => name === "Till 5")?.id, keyId)
    const audit = yield* admin<{ readonly items: ReadonlyArray<{ readonly operator: string }> }>(
      "GET",
      `/audit?kind=SignInLinkMade&subject=${branchId}`
    )
    assert.strictEqual(audit.data.items[0]?.operator, "ADMIN_TOKEN")
    assert.notInclude(audit.text, link.slice(-64))
  })

  it.effect("the admin API refuses a link that is not valid, and a branch that does not exist", function* () {
    const { admin } = yield* RunningService
    const { branchId } = yield* Shop
    const valid = { name: "Till", scopes: ["verify"] }
    const make = (body: object, id = branchId) => admin("POST", `/branches/${id}/sign-in-links`, body)
    for (const wrong of [{ name: "" }, { scopes: [] }, { scopes: ["all"] }, { validHours: 0 }, { validHours: 1.5 }]) {
      const { error, status } = yield* make({ ...valid, ...wrong })
      assert.deepStrictEqual([status, error?.code], [400, "VALIDATION_ERROR"], JSON.stringify(wrong))
    }
    const { error, status } = yield* make(valid, "0f8fad5b-d9cb-4f69-a165-70867728950e")
    assert.deepStrictEqual([status, error?.code], [404, "NOT_FOUND"])
  })

  it.effect("a branch with 100 keys that work gets no link", function* () {
    const { admin, createService } = yield* RunningService
    const { mainBranch } = yield* createService()
    const body = { name: "Till", scopes: ["verify"] }
    for (let index = 0; index < 99; index++) yield* admin("POST", `/branches/${mainBranch.id}/keys`, body)
    const { error, status } = yield* admin("POST", `/branches/${mainBranch.id}/sign-in-links`, body)
    assert.deepStrictEqual([status, error?.code], [400, "VALIDATION_ERROR"])
  })

  it.effect("the settings of the shop make a link for another device, with scopes of their own key", function* () {
    const { admin, baseUrl, call } = yield* RunningService
    const { branchId, key } = yield* Shop
    const body = { name: "Owner 2", scopes: ["verify", "configure"] }
    const { data: owner } = yield* call<NewKey>("POST", "/v2/keys", { key, body })
    const { page } = yield* openShop(baseUrl, "/app/settings/keys", { key: owner.apiKey })
    const link = yield* Effect.promise(async () => {
      await page.click("main a.primary")
      assert.strictEqual(await page.locator(".boxes input[name=read]").count(), 0)
      await page.fill("#field-name", "Till 6")
      await page.selectOption("#field-validHours", "1")
      await page.click("main button.primary")
      await page.waitForSelector(".qr")
      return page.locator(".copyable code").innerText()
    })
    assert.deepStrictEqual(yield* accessibilityFaults(page), [])
    const { page: device } = yield* openShop(baseUrl, new URL(link).pathname)
    yield* Effect.promise(async () => {
      await device.click("button.primary")
      await device.waitForSelector("#check")
    })
    const issued = (yield* keysOf(key)).find(({ name }) => name === "Till 6")
    assert.deepStrictEqual(issued?.scopes, ["verify"])
    const log = yield* EventStore.use((store) => store.readAll({ after: beginning, limit: 10_000 }))
    const made = log.find(({ data, type }) => type === "SignInLinkMade" && data["name"] === "Till 6")
    assert.deepStrictEqual(made?.metadata.actor, branchActor(branchId, owner.id))
    const { text } = yield* admin("GET", "/audit?kind=SignInLinkMade")
    assert.notInclude(text, "Till 6")
  })

  it.effect("a form that is sent twice makes one link, and the second answer does not show it", function* () {
    const { baseUrl } = yield* RunningService
    const { branchId, key } = yield* Shop
    const ways = [
      { path: "/app/settings/keys/sign-in-link", cookie: yield* signedInAs(baseUrl, key) },
      { path: `/console/branches/${branchId}/new-sign-in-link`, cookie: yield* signedIn(baseUrl) }
    ]
    for (const { cookie, path } of ways) {
      const form = yield* textOf(yield* getPage(baseUrl, path, { cookie }))
      const formId = /name="formId" value="([^"]+)"/u.exec(form)?.[1] ?? ""
      const send = (name: string, id = formId) =>
        Effect.flatMap(
          sendForm(baseUrl, path, { csrf: formTokenIn(form), formId: id, name, verify: "1" }, { cookie }),
          (answer) => Effect.map(textOf(answer), (html) => ({ status: answer.status, html }))
        )
      const link = /\/app\/link\/[0-9a-f]{64}/u
      const sent = yield* Effect.all([send("Till 8"), send("Till 8")], { concurrency: 2 })
      const [again, shown] = [...sent].sort((one, other) => other.status - one.status)
      assert.deepStrictEqual([shown?.status, again?.status], [200, 400], path)
      assert.match(shown?.html ?? "", link)
      assert.notMatch(again?.html ?? "", link)
      assert.include(again?.html, "This form was sent before.")

      // The form that is shown again makes another link, and so does another device in the same form.
      const nextId = /name="formId" value="([^"]+)"/u.exec(again?.html ?? "")?.[1] ?? ""
      for (const other of [send("Till 8", nextId), send("Till 9")]) {
        const { html } = yield* other
        assert.notStrictEqual(link.exec(html)?.[0] ?? "", link.exec(shown?.html ?? "")?.[0])
        assert.match(html, link)
      }
    }
  })

  it.effect("the console shows a form that is not valid again", function* () {
    const { html, status } = yield* madeLink({ name: "Till", validHours: "500" })
    assert.strictEqual(status, 400)
    assert.include(html, "A whole number from 1 to 168.")
    assert.include(html, "At least one scope.")
  })
})
