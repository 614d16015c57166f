import { assert, layer } from "../../support/it.ts"
import { Effect } from "effect"
import { RunningService } from "../../support/service.ts"
import { formTokenIn, getPage, sendForm, textOf } from "../console/given-console.ts"
import { layerShop, Shop } from "../given-shop.ts"
import { signedInAs } from "./given-shop-page.ts"

/** The page of a session, with its form token. */
const openedPage = Effect.fnUntraced(function* (baseUrl: string, cookie: string) {
  const answer = yield* getPage(baseUrl, "/app", { cookie })
  const html = yield* textOf(answer)
  return { status: answer.status, html, csrf: formTokenIn(html) }
})

interface KeyView {
  readonly id: string
  readonly apiKey: string
}

layer.live(layerShop({ TRUSTED_PROXIES: "127.0.0.1", WRONG_KEYS_PER_MINUTE: "3" }))(
  "sign-in to the shop's page",
  (it) => {
    it.effect("redirects a request without a session to sign-in, and back to its page afterwards", function* () {
      const { baseUrl } = yield* RunningService
      const { key } = yield* Shop
      const answer = yield* getPage(baseUrl, "/app/jobs/x?amount=5")
      assert.deepStrictEqual(
        [answer.status, answer.headers.get("location")],
        [303, "/app/sign-in?to=%2Fapp%2Fjobs%2Fx%3Famount%3D5"]
      )
      const signed = yield* sendForm(baseUrl, "/app/sign-in", { key, to: "/app/jobs/x?amount=5" })
      assert.deepStrictEqual([signed.status, signed.headers.get("location")], [303, "/app/jobs/x?amount=5"])
      for (
        const to of ["https://evil.example/", "//evil.example", "/app//evil.example", "/apps", "/app/../console"]
      ) {
        const elsewhere = yield* sendForm(baseUrl, "/app/sign-in", { key, to })
        assert.strictEqual(elsewhere.headers.get("location"), "/app", to)
      }
    })

    it.effect("sets a cookie without the key, HttpOnly and SameSite=Strict, with __Host- behind https", function* () {
      const { baseUrl } = yield* RunningService
      const { key } = yield* Shop
      const plain = (yield* sendForm(baseUrl, "/app/sign-in", { key })).headers.get("set-cookie") ?? ""
      assert.match(
        plain,
        /^sliptrail_shop=\d+\.\d+\.[0-9a-f-]{36}\.[0-9a-f]{32}\.[0-9a-f]{32}; Max-Age=2592000; Path=\/app; HttpOnly; SameSite=Strict$/u
      )
      assert.notInclude(plain, key)
      const headers = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9" }
      const secure = (yield* sendForm(baseUrl, "/app/sign-in", { key }, { headers })).headers.get("set-cookie") ?? ""
      assert.match(secure, /^__Host-sliptrail_shop=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/u)
    })

    it.effect("limits guesses of keys as the API does", function* () {
      const { baseUrl } = yield* RunningService
      const headers = { "x-forwarded-for": "198.51.100.7" }
      const guess = sendForm(baseUrl, "/app/sign-in", { key: "00000000-0000-4000-8000-000000000000" }, { headers })
      const statuses = yield* Effect.forEach([1, 2, 3, 4], () => Effect.map(guess, ({ status }) => status))
      assert.deepStrictEqual(statuses, [401, 401, 401, 429])
    })

    it.effect("refuses forged and changed cookies, and a sign-in from another site", function* () {
      const { baseUrl } = yield* RunningService
      const { key } = yield* Shop
      const cookie = yield* signedInAs(baseUrl, key)
      assert.strictEqual((yield* openedPage(baseUrl, cookie)).status, 200)
      const other = cookie.replace(/[0-9a-f]{32}(?=\.[0-9a-f]{32}$)/u, "0".repeat(32))
      for (
        const forged of [other, cookie.replace(/=\d/u, "=9"), `${cookie}0`, "sliptrail_shop=", "sliptrail_shop=%00"]
      ) {
        assert.strictEqual((yield* getPage(baseUrl, "/app", { cookie: forged })).status, 303, forged)
      }
      const headers = { "sec-fetch-site": "cross-site" }
      assert.strictEqual((yield* sendForm(baseUrl, "/app/sign-in", { key }, { headers })).status, 403)
    })

    it.effect("refuses a form of another site, and one without the token of the session", function* () {
      const { baseUrl } = yield* RunningService
      const { key } = yield* Shop
      const cookie = yield* signedInAs(baseUrl, key)
      const { csrf } = yield* openedPage(baseUrl, cookie)
      const another = (yield* openedPage(baseUrl, yield* signedInAs(baseUrl, key))).csrf
      const headers = { "sec-fetch-site": "cross-site" }
      const statuses = [
        yield* sendForm(baseUrl, "/app", { csrf, payload: "x" }, { cookie, headers }),
        yield* sendForm(baseUrl, "/app", { payload: "x" }, { cookie }),
        yield* sendForm(baseUrl, "/app", { csrf: another, payload: "x" }, { cookie }),
        yield* sendForm(baseUrl, "/app", { csrf, payload: "x" }, { cookie })
      ].map(({ status }) => status)
      assert.deepStrictEqual(statuses, [403, 403, 403, 404])
    })

    it.effect("signing out ends the session on the server, and no other session of the key", function* () {
      const { baseUrl } = yield* RunningService
      const { key } = yield* Shop
      const [cookie, other] = [yield* signedInAs(baseUrl, key), yield* signedInAs(baseUrl, key)]
      const { csrf } = yield* openedPage(baseUrl, cookie)
      const answer = yield* sendForm(baseUrl, "/app/sign-out", { csrf }, { cookie })
      assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/app/sign-in"])
      assert.strictEqual((yield* openedPage(baseUrl, cookie)).status, 303)
      assert.strictEqual((yield* openedPage(baseUrl, other)).status, 200)
    })

    it.effect("a key has its pages only, and its session ends when it is revoked", function* () {
      const { baseUrl, call } = yield* RunningService
      const { key } = yield* Shop
      const body = { name: "Auditor", scopes: ["read"] }
      const { data } = yield* call<KeyView>("POST", "/v2/keys", { key, body })
      const cookie = yield* signedInAs(baseUrl, data.apiKey)
      const { html, status } = yield* openedPage(baseUrl, cookie)
      assert.strictEqual(status, 403)
      assert.include(html, "This device may not check slips.")
      assert.notInclude(html, 'href="/app/settings"')
      assert.strictEqual((yield* call("DELETE", `/v2/keys/${data.id}`, { key })).status, 200)
      const ended = yield* getPage(baseUrl, "/app", { cookie })
      assert.deepStrictEqual([ended.status, ended.headers.get("location")], [303, "/app/sign-in"])
    })

    it.effect("answers a picture that is too large, and goes on", function* () {
      const { baseUrl } = yield* RunningService
      const { key } = yield* Shop
      const cookie = yield* signedInAs(baseUrl, key)
      const { csrf } = yield* openedPage(baseUrl, cookie)
      const send = (bytes: number) =>
        Effect.promise(async (signal) => {
          const form = new FormData()
          form.set("csrf", csrf)
          form.set("picture", new Blob([new Uint8Array(bytes)]), "<script>alert(1)</script>.png")
          const headers = { origin: baseUrl, cookie }
          const answer = await fetch(`${baseUrl}/app`, { method: "POST", body: form, headers, signal })
          return { status: answer.status, html: await answer.text() }
        })
      for (const bytes of [5_000_000, 7_000_000]) {
        const { html, status } = yield* send(bytes)
        assert.strictEqual(status, 400, String(bytes))
        assert.include(html, "larger than 4 MB")
        assert.notInclude(html, "<script>alert")
      }
      assert.strictEqual((yield* openedPage(baseUrl, cookie)).status, 200)
    })
  }
)
