import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { newSlip } from "../../support/client.ts"
import { RunningService } from "../../support/service.ts"
import { formTokenIn, getPage, sendForm, TestBrowser, textOf } from "../console/given-console.ts"
import { endJob } from "../../infrastructure/commands/cli/given-jobs.ts"
import { layerShop, Shop } from "../given-shop-with-receiver.ts"
import { openShop, signedInAs } from "./given-shop-page.ts"

const layerTest = Layer.merge(TestBrowser.layer, layerShop)

interface Key {
  readonly id: string
  readonly apiKey: string
}

const createKey = Effect.fnUntraced(function* (key: string, name: string, scopes: ReadonlyArray<string>) {
  const { call } = yield* RunningService
  return (yield* call<Key>("POST", "/v2/keys", { key, body: { name, scopes } })).data
})

/** A session of a key that opens pages and sends forms, with its form token. */
const session = Effect.fnUntraced(function* (key: string) {
  const { baseUrl } = yield* RunningService
  const cookie = yield* signedInAs(baseUrl, key)
  const start = yield* getPage(baseUrl, "/app/no-such-page", { cookie })
  const csrf = formTokenIn(yield* Effect.promise(() => start.text()))
  return {
    get: (path: string) => getPage(baseUrl, path, { cookie }),
    post: (path: string, fields: Readonly<Record<string, string>>) =>
      sendForm(baseUrl, path, { csrf, ...fields }, { cookie })
  }
})

layer.live(layerTest)("the settings of a shop", (it) => {
  it.effect("make, replace and revoke keys, and show each new one once", function* () {
    const { baseUrl, call } = yield* RunningService
    const { key } = yield* Shop
    const { page } = yield* openShop(baseUrl, "/app/settings/keys", { key, javaScriptEnabled: false })
    const secret = () => page.locator(".copyable code").innerText()
    const infoWith = (apiKey: string) => call("GET", "/v2/info", { key: apiKey })
    const made = yield* Effect.promise(async () => {
      await page.fill("#field-name", "Till 7")
      await page.click("main button.primary")
      assert.strictEqual(await page.locator(".boxes .error").count(), 1)
      await page.check("input[name=verify]")
      await page.click("main button.primary")
      return secret()
    })
    assert.strictEqual((yield* infoWith(made)).status, 200)
    const replaced = yield* Effect.promise(async () => {
      await page.goto(`${baseUrl}/app/settings/keys`)
      assert.notInclude(await page.content(), made)
      await page.click("li:has-text('Till 7') a:has-text('Replace')")
      await page.selectOption("#field-overlapSeconds", "0")
      await page.click("main button.primary")
      return secret()
    })
    assert.deepStrictEqual([(yield* infoWith(made)).status, (yield* infoWith(replaced)).status], [401, 200])
    yield* Effect.promise(async () => {
      await page.goto(`${baseUrl}/app/settings/keys`)
      await page.click("li:has-text('Till 7') a:has-text('Revoke')")
      await page.fill("#field-confirm", "Till 8")
      await page.click("main button.danger")
      assert.strictEqual(await page.locator("#field-confirm[aria-invalid]").count(), 1)
      await page.fill("#field-confirm", "Till 7")
      await page.click("main button.danger")
      await page.waitForURL((url) => url.searchParams.get("done") === "keyRevoked")
    })
    assert.strictEqual((yield* infoWith(replaced)).status, 401)
  })

  it.effect("make a key for some networks, no more than those of the key of the session", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    const body = { name: "Office", scopes: ["verify", "configure"], networks: ["127.0.0.1", "203.0.113.0/24"] }
    const office = (yield* call<Key>("POST", "/v2/keys", { key, body })).data
    const { get, post } = yield* session(office.apiKey)
    const path = "/app/settings/keys"
    for (const networks of ["shop", "198.51.100.7", "203.0.113.0/23"]) {
      const refused = yield* post(path, { name: "Till 9", verify: "1", networks })
      assert.strictEqual(refused.status, 400, networks)
      assert.match(yield* textOf(refused), /<textarea id="field-networks"[^>]*aria-invalid="true"/u, networks)
    }
    assert.strictEqual(
      (yield* post(path, { name: "Till 9", verify: "1", networks: "203.0.113.7\n127.0.0.1" })).status,
      200
    )
    assert.strictEqual((yield* post(path, { name: "Till 10", verify: "1", networks: "" })).status, 200)
    const list = yield* call<
      { readonly items: ReadonlyArray<{ readonly name: string; readonly networks: unknown }> }
    >(
      "GET",
      "/v2/keys",
      { key }
    )
    const networksOf = (name: string) => list.data.items.find((one) => one.name === name)?.networks
    assert.deepStrictEqual(networksOf("Till 9"), ["203.0.113.7/32", "127.0.0.1/32"])
    assert.deepStrictEqual(networksOf("Till 10"), ["127.0.0.1/32", "203.0.113.0/24"])
    assert.include(yield* textOf(yield* get(path)), "203.0.113.7/32, 127.0.0.1/32")
  })

  it.effect("warn before the key of the session is revoked, and then end the session", function* () {
    const { key } = yield* Shop
    const owner = yield* createKey(key, "Owner", ["verify", "read", "configure"])
    const { get, post } = yield* session(owner.apiKey)
    const path = `/app/settings/keys/${owner.id}/revoke`
    assert.include(yield* textOf(yield* get(path)), "This is the key of this device")
    assert.strictEqual((yield* post(path, { confirm: "Owner" })).status, 303)
    const after = yield* get("/app/settings")
    assert.deepStrictEqual([after.status, after.headers.get("location")], [303, "/app/sign-in?to=%2Fapp%2Fsettings"])
  })

  it.effect("change the webhook and its secret, and refuse a URL that callbacks may not use", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    const { post } = yield* session(key)
    const url = Effect.map(
      call<{ readonly url: string | null }>("GET", "/v2/webhook", { key }),
      ({ data }) => data.url
    )
    const set = (text: string) => post("/app/settings/webhook", { url: text })
    for (const wrong of ["http://203.0.113.7/x", "https://10.0.0.1/", "javascript:alert(1)", "shop"]) {
      const refused = yield* set(wrong)
      assert.strictEqual(refused.status, 400)
      assert.include(yield* textOf(refused), "aria-invalid")
    }
    assert.strictEqual((yield* set("https://93.184.215.14/slips")).status, 303)
    assert.strictEqual(yield* url, "https://93.184.215.14/slips")
    assert.strictEqual((yield* set("")).status, 303)
    assert.isNull(yield* url)
    const rotated = yield* post("/app/settings/webhook/secret", { overlapSeconds: "3600" })
    assert.match(yield* textOf(rotated), /whsec_[A-Za-z0-9+/=]{20}/u)
    assert.strictEqual((yield* post("/app/settings/webhook/secret", { overlapSeconds: "1" })).status, 400)
  })

  it.effect("register, change and stop a bank account", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    const { get, post } = yield* session(key)
    const fields = { bankCode: "004", bankNumber: "012-3-45678-9", nameTh: "นาย สมชาย ใจดี" }
    const path = "/app/settings/accounts"
    for (const wrong of [{ bankNumber: "x" }, { bankCode: "PROMPTPAY" }]) {
      const refused = yield* post(path, { ...fields, ...wrong })
      assert.strictEqual(refused.status, 400)
      assert.include(yield* textOf(refused), 'aria-invalid="true"')
    }
    assert.strictEqual((yield* post(path, fields)).status, 303)
    assert.strictEqual((yield* post(path, fields)).status, 400, "the number is taken")
    const list = call<{ readonly items: ReadonlyArray<{ readonly id: string; readonly nameEn: string | null }> }>(
      "GET",
      "/v2/bank-accounts?isActive=true",
      { key }
    )
    const [account] = (yield* list).data.items
    const own = `${path}/${account?.id}`
    assert.include(yield* textOf(yield* get(own)), "0123456789")
    assert.strictEqual((yield* post(own, { ...fields, nameEn: "MR SOMCHAI" })).status, 303)
    assert.strictEqual((yield* list).data.items[0]?.nameEn, "MR SOMCHAI")
    assert.strictEqual((yield* post(`${own}/deactivate`, {})).status, 303)
    assert.deepStrictEqual((yield* list).data.items, [])
  })

  it.effect("register and change a merchant of a biller", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    const { get, post } = yield* session(key)
    const path = "/app/settings/accounts"
    const fields = { bankCode: "014", bankNumber: "010753600031508", nameTh: "ร้านกาแฟ", type: "JURISTIC" }
    const refused = yield* post(path, { ...fields, ref1: "???" })
    assert.strictEqual(refused.status, 400)
    assert.match(yield* textOf(refused), /<details class="more" open>[^]*id="field-ref1"[^>]*aria-invalid="true"/u)
    assert.strictEqual((yield* post(path, { ...fields, ref1: "KB000001234567", merchantId: "m-1" })).status, 303)
    interface Account {
      readonly id: string
      readonly ref1?: string
      readonly merchantId?: string
      readonly type: string | null
    }
    const list = call<{ readonly items: ReadonlyArray<Account> }>("GET", "/v2/bank-accounts?isActive=true", { key })
    const account = (yield* list).data.items.find(({ ref1 }) => ref1 === "KB000001234567")
    assert.deepInclude(account, { merchantId: "M1", type: "JURISTIC" })
    const own = `${path}/${account?.id}`
    assert.match(yield* textOf(yield* get(own)), /<details class="more" open>[^]*value="KB000001234567"/u)
    assert.strictEqual((yield* post(own, { ...fields, ref1: "KB000001234567", type: "" })).status, 303)
    const changed = (yield* list).data.items.find(({ id }) => id === account?.id)
    assert.deepInclude(changed, { ref1: "KB000001234567", type: null })
    assert.isUndefined(changed?.merchantId)
  })
})

layer.live(layerTest)("a session of one branch", (it) => {
  it.effect("finds nothing of another branch, on any page and by any form", function* () {
    const { createService, verify } = yield* RunningService
    const { key, receiver } = yield* Shop
    const { mainBranch } = yield* createService()
    const { call } = yield* RunningService
    const jobId = yield* endJob(key, { payload: newSlip().payload, callbackUrl: receiver.url })
    const { data: { verificationId } } = yield* verify(key, { payload: newSlip().payload })
    const till = yield* createKey(key, "Till of another", ["verify"])
    const body = { bankCode: "014", bankNumber: "1234567890", nameTh: "นาย สมชาย ใจดี" }
    const account = yield* call<{ readonly id: string }>("POST", "/v2/bank-accounts", { key, body })
    const foreign = yield* session(mainBranch.apiKey)
    const gets = [
      `/app/verifications/${verificationId}`,
      `/app/verifications/${jobId}`,
      `/app/settings/keys/${till.id}/rotate`,
      `/app/settings/keys/${till.id}/revoke`,
      `/app/settings/accounts/${account.data.id}`
    ]
    for (const path of gets) assert.strictEqual((yield* foreign.get(path)).status, 404, path)
    const posts: ReadonlyArray<readonly [path: string, fields: Readonly<Record<string, string>>]> = [
      [`/app/verifications/${verificationId}/notes`, { text: "mine" }],
      [`/app/settings/keys/${till.id}/rotate`, { overlapSeconds: "0" }],
      [`/app/settings/keys/${till.id}/revoke`, { confirm: "Till of another" }],
      ["/app/settings/deliveries", { jobId }],
      [`/app/settings/accounts/${account.data.id}`, { ...body, nameEn: "MINE" }],
      [`/app/settings/accounts/${account.data.id}/deactivate`, {}]
    ]
    for (const [path, fields] of posts) assert.strictEqual((yield* foreign.post(path, fields)).status, 404, path)
    for (
      const path of ["/app/verifications", "/app/settings/keys", "/app/settings/accounts", "/app/settings/deliveries"]
    ) {
      const text = yield* textOf(yield* foreign.get(path))
      for (const secret of [verificationId, jobId, till.id, "1234567890"]) assert.notInclude(text, secret, path)
    }
    const detail = yield* call<{ readonly notes: ReadonlyArray<unknown> }>(
      "GET",
      `/v2/verifications/${verificationId}`,
      {
        key
      }
    )
    assert.deepStrictEqual(detail.data.notes, [])
    assert.strictEqual((yield* call("GET", "/v2/info", { key: till.apiKey })).status, 200)
  })

  it.effect("may open and send only what the scopes of its key allow", function* () {
    const { verify } = yield* RunningService
    const { key } = yield* Shop
    const { data: { verificationId } } = yield* verify(key, { payload: newSlip().payload })
    const reader = yield* session((yield* createKey(key, "Accountant", ["read"])).apiKey)
    const till = yield* session((yield* createKey(key, "Till", ["verify"])).apiKey)
    const detail = `/app/verifications/${verificationId}`
    const settings = ["", "/usage", "/webhook", "/deliveries", "/keys", "/keys/sign-in-link", "/accounts"].map((
      end
    ) => `/app/settings${end}`)
    for (const path of settings) {
      assert.strictEqual((yield* reader.get(path)).status, 403, path)
      assert.strictEqual((yield* till.get(path)).status, 403, path)
    }
    const shown = yield* reader.get(detail)
    assert.strictEqual(shown.status, 200)
    assert.notInclude(yield* textOf(shown), "<textarea")
    assert.strictEqual((yield* reader.post(`${detail}/notes`, { text: "mine" })).status, 403)
    for (const path of ["/app/verifications", detail]) assert.strictEqual((yield* till.get(path)).status, 403, path)
    const forms = ["webhook", "webhook/secret", "deliveries", "keys", "keys/sign-in-link", "accounts"]
    for (const form of forms) assert.strictEqual((yield* reader.post(`/app/settings/${form}`, {})).status, 403, form)
  })
})
