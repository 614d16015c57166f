import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { makeSignInLink, redeemSignInLink, withdrawSignInLink } from "../../../application/shop/sign-in-links.ts"
import { accessibilityFaults } from "../../support/axe.ts"
import { newOperator } from "../../support/operators.ts"
import { RunningService } from "../../support/service.ts"
import { formTokenIn, getPage, openConsole, sendForm, signedIn, TestBrowser, textOf } from "../console/given-console.ts"
import { layerShop } from "../given-shop.ts"
import { openShop, signedInAs } from "./given-shop-page.ts"

const layerTest = Layer.merge(
  TestBrowser.layer,
  layerShop({ PUBLIC_URL: "https://slips.shop.example", TRUSTED_PROXIES: "127.0.0.1" })
)

interface Made {
  readonly id: string
  readonly link: string
  readonly keyId: string
}

interface OpenLink {
  readonly id: string
  readonly name: string
  readonly keyId: string | null
  readonly operator: string | null
  readonly madeByKey: string | null
}

const OFFICE = "203.0.113.7"
const ELSEWHERE = "198.51.100.9"

/** A branch of its own, and what an operator does with its links. `token` is that of the operator. */
const given = Effect.gen(function* () {
  const { admin, baseUrl, call, createService } = yield* RunningService
  const service = yield* createService()
  const { apiKey: key, id } = service.mainBranch
  const path = `/branches/${id}/sign-in-links`
  const redeem = (link: string, from?: string) =>
    sendForm(baseUrl, new URL(link).pathname, {}, from === undefined ? {} : { headers: { "x-forwarded-for": from } })
  return {
    key,
    id,
    serviceId: service.id,
    redeem,
    make: Effect.fnUntraced(function* (name: string, token?: string) {
      const body = { name, scopes: ["verify"] }
      const made = token === undefined
        ? yield* admin<Made>("POST", path, body)
        : yield* call<Made>("POST", `/admin/v1${path}`, { key: token, body })
      assert.strictEqual(made.status, 201, made.text)
      return made.data
    }),
    open: Effect.map(
      admin<{ readonly items: ReadonlyArray<OpenLink> }>("GET", path),
      ({ data }) => data.items
    ),
    withdraw: (linkId: string) => admin("POST", `${path}/${linkId}/withdraw`),
    /** The names of the keys that work. */
    working: Effect.map(
      call<{ readonly items: ReadonlyArray<{ readonly name: string | null; readonly state: string }> }>(
        "GET",
        "/v2/keys",
        { key }
      ),
      ({ data }) => data.items.filter(({ state }) => state === "active").map(({ name }) => name)
    ),
    /** The link is refused, with this text, and the device gets neither a cookie nor a key. */
    assertRefused: Effect.fnUntraced(function* (link: string, status: number, text: string, from?: string) {
      const answer = yield* redeem(link, from)
      assert.strictEqual(answer.status, status)
      assert.include(yield* textOf(answer), text)
      assert.deepStrictEqual(answer.headers.getSetCookie(), [])
    })
  }
})

layer.live(layerTest)("sign-in links that no device has redeemed", (it) => {
  it.effect("are listed with who made them, and leave the list when they are redeemed or withdrawn", function* () {
    const { make, open, redeem, withdraw } = yield* given
    const [first, second] = [yield* make("Till 1"), yield* make("Till 2")]
    const list = yield* open
    assert.deepStrictEqual(
      list.map(({ id, keyId, madeByKey, name, operator }) => ({ id, keyId, madeByKey, name, operator })),
      [second, first].map(({ id, keyId }, index) => ({
        id,
        keyId,
        madeByKey: null,
        name: `Till ${2 - index}`,
        operator: "ADMIN_TOKEN"
      }))
    )
    const token = new URL(first.link).pathname.slice("/app/link/".length)
    assert.notInclude(JSON.stringify(list), token)
    assert.strictEqual((yield* redeem(first.link)).status, 303)
    assert.deepStrictEqual((yield* open).map(({ id }) => id), [second.id])
    assert.strictEqual((yield* withdraw(second.id.toUpperCase())).status, 200)
    assert.deepStrictEqual(yield* open, [])
  })

  it.effect("are withdrawn once, say so to the device, and stay in the audit", function* () {
    const { admin } = yield* RunningService
    const { assertRefused, id, make, withdraw, working } = yield* given
    const { id: linkId, link } = yield* make("Till 1")
    for (let time = 0; time < 2; time++) assert.strictEqual((yield* withdraw(linkId)).status, 200)
    yield* assertRefused(link, 410, "This link was withdrawn.")
    assert.deepStrictEqual(yield* working, [null])
    const audit = yield* admin<{ readonly items: ReadonlyArray<{ readonly operator: string }> }>(
      "GET",
      `/audit?kind=SignInLinkWithdrawn&subject=${id}`
    )
    assert.deepStrictEqual(audit.data.items.map(({ operator }) => operator), ["ADMIN_TOKEN"])
  })

  it.effect("cannot be withdrawn after a device has redeemed them, by another branch, or by another id", function* () {
    const { admin } = yield* RunningService
    const { make, redeem, withdraw } = yield* given
    const other = yield* given
    const { id, link } = yield* make("Till 1")
    assert.strictEqual((yield* other.withdraw(id)).status, 404)
    for (const wrong of ["0".repeat(32), "x", "%20", `${id}0`]) {
      assert.strictEqual((yield* withdraw(wrong)).status, 404, wrong)
    }
    yield* redeem(link)
    const { error, status } = yield* withdraw(id)
    assert.deepStrictEqual([status, error?.issues?.[0]?.path], [400, "linkId"])
    assert.strictEqual(
      (yield* admin("GET", "/branches/0f8fad5b-d9cb-4f69-a165-70867728950e/sign-in-links")).status,
      404
    )
  })

  it.effect("end when the branch gets a new default key, those of operators and those of keys", function* () {
    const { admin, call } = yield* RunningService
    const { assertRefused, id, key, make, open } = yield* given
    const body = { name: "Owner", scopes: ["verify", "configure"] }
    const owner = yield* call<{ readonly apiKey: string }>("POST", "/v2/keys", { key, body })
    const { link: ofOwner } = yield* linkOfShop(owner.data.apiKey, "Till 1")
    const { link } = yield* make("Till 2")
    assert.strictEqual((yield* open).length, 2)
    yield* admin("POST", `/branches/${id}/rotate-key`)
    assert.deepStrictEqual(yield* open, [])
    for (const one of [link, ofOwner]) yield* assertRefused(one, 410, "This link no longer works")
    const { link: later } = yield* make("Till 3")
    assert.strictEqual((yield* open).length, 1)
    yield* assertOpens(later)
  })

  it.effect("end with the removal of the operator who made them, also when another one gets the name", function* () {
    const client = yield* RunningService
    const { assertRefused, make, open } = yield* given
    const { link } = yield* make("Till 1", yield* newOperator(client, "nok", "admin"))
    const { link: ofOther } = yield* make("Till 2", yield* newOperator(client, "may", "admin"))
    assert.deepStrictEqual((yield* open).map(({ operator }) => operator), ["may", "nok"])
    yield* client.admin("POST", "/operators/nok/remove")
    yield* client.admin("POST", "/operators/may/role", { role: "support" })
    yield* newOperator(client, "nok", "admin")
    assert.deepStrictEqual(yield* open, [])
    for (const one of [link, ofOther]) yield* assertRefused(one, 410, "This link no longer works")
  })

  it.effect("stay whole when a device is refused that the branch does not admit", function* () {
    const { admin, call } = yield* RunningService
    const { assertRefused, id, key, make, open, redeem, serviceId, working } = yield* given
    const networked = { name: "Owner", scopes: ["verify", "configure"], networks: [`${OFFICE}/32`] }
    const owner = yield* call<{ readonly apiKey: string }>("POST", "/v2/keys", { key, body: networked })
    const { link: ofOwner } = yield* linkOfShop(owner.data.apiKey, "Till 1", OFFICE)
    const { link } = yield* make("Till 2")
    const before = yield* working
    const change = (path: string, body?: object) => admin(body === undefined ? "POST" : "PATCH", path, body)

    yield* assertRefused(ofOwner, 403, "This key does not work from your network.", ELSEWHERE)
    const refusals = [
      {
        by: change(`/branches/${id}`, { ipWhitelist: [`${OFFICE}/32`] }),
        status: 403,
        back: change(`/branches/${id}`, { ipWhitelist: ["*"] })
      },
      { by: change(`/branches/${id}/deactivate`), status: 403, back: change(`/branches/${id}/activate`) },
      { by: change(`/services/${serviceId}/ban`), status: 403, back: change(`/services/${serviceId}/unban`) },
      {
        by: change(`/services/${serviceId}/deactivate`),
        status: 403,
        back: change(`/services/${serviceId}/activate`)
      }
    ]
    for (const { back, by, status } of refusals) {
      assert.strictEqual((yield* by).status, 200)
      yield* assertRefused(link, status, "Sign in this device", ELSEWHERE)
      assert.strictEqual((yield* back).status, 200)
    }
    assert.deepStrictEqual(yield* working, before)
    assert.strictEqual((yield* open).length, 2)
    assert.strictEqual((yield* redeem(ofOwner, OFFICE)).status, 303)
    assert.strictEqual((yield* redeem(link, ELSEWHERE)).status, 303)
    assert.deepStrictEqual(yield* open, [])
  })

  it.effect("leave no key that works when they are withdrawn while a device redeems them", function* () {
    const { id, working } = yield* given
    const operation = { actor: { kind: "admin", id: "api" }, correlationId: "c" } as const
    const { id: linkId, token } = yield* makeSignInLink(id, { name: "Till 1", scopes: ["verify"] }, operation)
    const withdraw = () => withdrawSignInLink(id, linkId, operation)
    const refused = yield* Effect.flip(redeemSignInLink(token, { correlationId: "d" }, withdraw))
    assert.deepStrictEqual([refused._tag, "reason" in refused ? refused.reason : ""], [
      "SignInLinkRefused",
      "withdrawn"
    ])
    assert.deepStrictEqual(yield* working, [null])
  })

  it.effect("are listed and withdrawn in the console, by operators whose role may make them", function* () {
    const { baseUrl } = yield* RunningService
    const client = yield* RunningService
    const { assertRefused, id, make, open } = yield* given
    const { link } = yield* make("Till 1")
    const { page } = yield* openConsole(baseUrl, `/console/branches/${id}`)
    yield* Effect.promise(() => page.waitForSelector("text=Open sign-in links"))
    assert.deepStrictEqual(yield* accessibilityFaults(page), [])
    yield* Effect.promise(async () => {
      const row = page.locator("tr:has-text('Till 1')")
      await row.locator("summary").click()
      await row.locator("button.danger").click()
      await page.waitForSelector("text=No device can redeem the link any more.")
    })
    assert.deepStrictEqual(yield* open, [])
    yield* assertRefused(link, 410, "This link was withdrawn.")

    const { id: other } = yield* make("Till 2")
    const cookie = yield* signedIn(baseUrl, yield* newOperator(client, "auditor", "auditor"))
    const shown = yield* textOf(yield* getPage(baseUrl, `/console/branches/${id}`, { cookie }))
    assert.include(shown, "Till 2")
    assert.notInclude(shown, `${other}/withdraw`)
    const path = `/console/branches/${id}/sign-in-links/${other}/withdraw`
    assert.strictEqual((yield* sendForm(baseUrl, path, { csrf: formTokenIn(shown) }, { cookie })).status, 403)
  })

  it.effect("are listed and withdrawn in the settings of the shop, without the names of operators", function* () {
    const { baseUrl } = yield* RunningService
    const { assertRefused, key, make, open } = yield* given
    const other = yield* given
    const { link } = yield* make("Till 1")
    const foreign = yield* other.make("Till 2")
    const { page } = yield* openShop(baseUrl, "/app/settings/keys", { key, javaScriptEnabled: false })
    assert.notInclude(yield* Effect.promise(() => page.content()), "ADMIN_TOKEN")
    yield* Effect.promise(async () => {
      await page.click("li:has-text('Till 1') button:has-text('Withdraw')")
      await page.waitForURL((url) => url.searchParams.get("done") === "linkWithdrawn")
      assert.strictEqual(await page.locator("text=Open sign-in links").count(), 0)
    })
    assert.deepStrictEqual(yield* open, [])
    yield* assertRefused(link, 410, "This link was withdrawn.")

    const cookie = yield* signedInAs(baseUrl, key)
    const csrf = formTokenIn(yield* textOf(yield* getPage(baseUrl, "/app/settings/keys", { cookie })))
    const path = `/app/settings/keys/sign-in-link/${foreign.id}/withdraw`
    assert.strictEqual((yield* sendForm(baseUrl, path, { csrf }, { cookie })).status, 404)
    assert.strictEqual((yield* other.open).length, 1)
  })
})

/** A link that the settings of the shop make, with this key. */
const linkOfShop = Effect.fnUntraced(function* (key: string, name: string, from?: string) {
  const { baseUrl } = yield* RunningService
  const headers = from === undefined ? {} : { "x-forwarded-for": from }
  const signedInFrom = yield* sendForm(baseUrl, "/app/sign-in", { key }, { headers })
  const [cookie = ""] = (signedInFrom.headers.getSetCookie()[0] ?? "").split(";")
  const path = "/app/settings/keys/sign-in-link"
  const form = yield* textOf(yield* getPage(baseUrl, path, { cookie, headers }))
  const answer = yield* sendForm(baseUrl, path, { csrf: formTokenIn(form), name, verify: "1" }, { cookie, headers })
  const [link = ""] = /https:\/\/slips\.shop\.example\/app\/link\/[0-9a-f]{64}/u.exec(yield* textOf(answer)) ?? []
  assert.notStrictEqual(link, "")
  return { link }
})

const assertOpens = Effect.fnUntraced(function* (link: string) {
  const { baseUrl } = yield* RunningService
  assert.strictEqual((yield* sendForm(baseUrl, new URL(link).pathname, {})).status, 303)
})
