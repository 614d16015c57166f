import { assert, layer } from "../../support/it.ts"
import { Effect } from "effect"
import type { BankAccountView } from "../../../application/views/bank-account.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../../support/service.ts"
import { assertInvalid } from "../assert-answer.ts"
import { trail } from "../ask-trail.ts"
import { formTokenIn, getPage, sendForm, signedIn } from "./given-console.ts"

/** The text of a page. */
const read = Effect.fnUntraced(function* (path: string, cookie: string, language = "en") {
  const { baseUrl } = yield* RunningService
  const answer = yield* getPage(baseUrl, path, { cookie, headers: { "accept-language": language } })
  return { status: answer.status, text: yield* Effect.promise(() => answer.text()) }
})

/** A signed-in operator, with the form token. */
const operator = Effect.gen(function* () {
  const { baseUrl } = yield* RunningService
  const cookie = yield* signedIn(baseUrl)
  const csrf = formTokenIn((yield* read("/console/services/new", cookie)).text)
  return { baseUrl, cookie, csrf }
})

layer.live(layerRunningService({ ROLES: "http,projector" }))("the console with unusual input", (it) => {
  it.effect("shows names that look like a time, valid or not", function* () {
    const { admin, createService } = yield* RunningService
    const { cookie } = yield* operator
    for (const name of ["2026-99-99T99:99:99Z", "2026-11-22T25:00:00+07:00", "2026-11-22T01:02:03Z"]) {
      const { mainBranch: { id } } = yield* createService()
      assert.strictEqual((yield* admin("PATCH", `/branches/${id}`, { name })).status, 200)
      for (const path of [`/console/trail/branch/${id}`, `/console/branches/${id}`]) {
        const { status, text } = yield* read(path, cookie)
        assert.deepStrictEqual([status, text.includes(name)], [200, true], `${path} ${name}`)
      }
    }
  })

  it.effect("shows the state at every valid time, and rejects invalid times", function* () {
    const { createService } = yield* RunningService
    const { cookie } = yield* operator
    const { mainBranch: { id } } = yield* createService()
    const moments = ["9999-12-31T23:59:59.999", "0100-01-01T00:00:00+14:00", "1970-01-01"]
    const beyond = ["9999-12-31T23:59:59.999-14:00", "275760-09-14", "0000-01-01"]
    const nonsense = [...beyond, "2026-02-30", "-1", "\u0000", "9".repeat(5_000)]
    for (const at of [...moments, ...nonsense]) {
      const { status, text } = yield* read(`/console/trail/branch/${id}?at=${encodeURIComponent(at)}`, cookie)
      const isRefused = text.includes("Not a valid time")
      assert.deepStrictEqual([status, isRefused], [200, nonsense.includes(at)], at.slice(0, 40))
    }
  })

  it.effect("rejects a form with a repeated field", function* () {
    const { createService } = yield* RunningService
    const { baseUrl, cookie, csrf } = yield* operator
    const { id } = yield* createService()
    const answer = yield* Effect.promise(() =>
      fetch(`${baseUrl}/console/services/${id}`, {
        method: "POST",
        body: new URLSearchParams([["csrf", csrf], ["name", "a"], ["name", "b"], ["plan", "p"]]),
        headers: { origin: baseUrl, cookie }
      })
    )
    assert.strictEqual(answer.status, 400)
    const text = yield* Effect.promise(() => answer.text())
    assert.include(text, "Send each field once.")
    assert.notInclude(text, "multipart")
  })

  it.effect("rejects times whose year in UTC has more than four digits or a sign", function* () {
    const { admin, createService } = yield* RunningService
    const { baseUrl, cookie, csrf } = yield* operator
    const { id } = yield* createService()
    for (const expiresAt of ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+07:00"]) {
      const form = { csrf, name: "n", plan: "p", expiresAt }
      assert.strictEqual((yield* sendForm(baseUrl, `/console/services/${id}`, form, { cookie })).status, 400)
      assertInvalid(yield* admin("PATCH", `/services/${id}`, { expiresAt }), "expiresAt")
    }
    const latest = { csrf, name: "n", plan: "p", expiresAt: "9999-12-31T23:59:59Z" }
    assert.strictEqual((yield* sendForm(baseUrl, `/console/services/${id}`, latest, { cookie })).status, 303)
  })

  it.effect("sets and removes the policy of a branch", function* () {
    const { admin, createService } = yield* RunningService
    const { baseUrl, cookie, csrf } = yield* operator
    const { mainBranch: { id } } = yield* createService()
    const path = `/console/branches/${id}/policy`
    const send = (form: object, to = path) => sendForm(baseUrl, to, { csrf, ...form }, { cookie })
    for (const wrong of [{ equals: "1.001" }, { withinMinutes: "soon" }, { receivers: "all" }]) {
      const answer = yield* send(wrong)
      assert.strictEqual(answer.status, 400)
      assert.include(yield* Effect.promise(() => answer.text()), `field-${Object.keys(wrong)[0]}-error`)
    }
    const saved = yield* send({ atLeast: "20.50", sendingBanks: "004 014", equals: "" })
    assert.strictEqual(saved.headers.get("location"), `/console/branches/${id}?done=changed`)
    assert.deepStrictEqual((yield* admin("GET", `/branches/${id}/policy`)).data, {
      version: 1,
      conditions: { amount: { atLeast: 20.5 }, sendingBanks: ["004", "014"] }
    })
    for (const [page, language] of [[path, "en"], [`/console/branches/${id}`, "th"]] as const) {
      const { status, text } = yield* read(page, cookie, language)
      assert.deepStrictEqual([status, text.includes("20.5"), text.includes("004 014")], [200, true, true], page)
    }
    assert.strictEqual((yield* send({}, `${path}/remove`)).status, 303)
    assert.isNull((yield* admin<{ version: number | null }>("GET", `/branches/${id}/policy`)).data.version)
    assert.strictEqual((yield* read("/console/branches/nothing/policy", cookie)).status, 404)
  })

  it.effect("corrects and deactivates a bank account whose number and names it never shows", function* () {
    const { call, createService } = yield* RunningService
    const { baseUrl, cookie, csrf } = yield* operator
    const { id: serviceId, mainBranch } = yield* createService()
    const register = (bankNumber: string) =>
      call<BankAccountView>("POST", "/v2/bank-accounts", {
        key: mainBranch.apiKey,
        body: { bankCode: "004", bankNumber, nameTh: "ผู้โจมตี", nameEn: "ATTACKER", type: "PERSONAL" }
      })
    const { data: { id } } = yield* register("1234567890")
    yield* register("1112223334")
    const path = `/console/bank-accounts/${id}`
    for (const page of [path, `/console/branches/${mainBranch.id}`, `/console/services/${serviceId}`]) {
      const { status, text } = yield* read(page, cookie)
      assert.deepStrictEqual([status, text.includes("xxxxxx7890"), text.includes(path)], [200, true, true], page)
      assert.notMatch(text, /1234567890|ผู้โจมตี|ATTACKER/u)
    }
    const send = (form: object, to = path) => sendForm(baseUrl, to, { csrf, ...form }, { cookie })
    assert.strictEqual((yield* sendForm(baseUrl, path, { bankCode: "002" }, { cookie })).status, 403, "no token")
    for (const wrong of [{ bankNumber: "12" }, { bankCode: "999" }, { extraVerify: "NAME" }, { type: "ROBOT" }]) {
      const answer = yield* send({ bankCode: "004", ...wrong })
      assert.strictEqual(answer.status, 400)
      const field = `field-${Object.keys(wrong)[0]}-error`
      assert.include(yield* Effect.promise(() => answer.text()), field)
    }
    const taken = yield* send({ bankCode: "004", bankNumber: "1112223334" })
    assert.strictEqual(taken.status, 409)
    assert.include(yield* Effect.promise(() => taken.text()), "Deactivate it first")

    const form = { bankCode: "004", bankNumber: "555-6-66777-8", nameTh: "", nameEn: "-", type: "" }
    assert.strictEqual((yield* send(form)).headers.get("location"), `${path}?done=changed`)
    // Operators see masked numbers; the branch sees its own.
    const ofBranch = Effect.map(
      call<BankAccountView>("GET", `/v2/bank-accounts/${id}`, { key: mainBranch.apiKey }),
      ({ data }) => data
    )
    const corrected = { bankCode: "004", bankNumber: "5556667778", nameTh: "ผู้โจมตี", nameEn: null, type: null }
    assert.deepInclude(yield* ofBranch, corrected)

    const kShop = { bankCode: "KSHOP", bankNumber: "010753600031508", ref1: "KB000001234567", merchantId: "-" }
    assert.strictEqual((yield* send({ ...kShop, ref1: "SHOP1" })).status, 400)
    assert.strictEqual((yield* send(kShop)).headers.get("location"), `${path}?done=changed`)
    assert.deepInclude(yield* ofBranch, { bankNumber: kShop.bankNumber, ref1: kShop.ref1 })
    assert.include((yield* read(path, cookie)).text, "xxxxxxxxxx4567")

    const done = `${path}?done=accountDeactivated`
    const unconfirmed = yield* send({ confirm: "xxxxxxxxxxx1509" }, `${path}/deactivate`)
    assert.strictEqual(unconfirmed.status, 400)
    const confirm = "xxxxxxxxxxx1508"
    assert.strictEqual((yield* send({ confirm }, `${path}/deactivate`)).headers.get("location"), done)
    const { text } = yield* read(done, cookie)
    assert.include(text, "Its number can be registered again.")
    assert.notInclude(text, `action="${path}`)
    assert.strictEqual((yield* send(form)).status, 404)
    const { data: { events } } = yield* trail(`branch=${mainBranch.id}`)
    const byConsole = events.filter(({ actor }) => actor.kind === "admin" && actor.id === "console")
    assert.includeMembers(byConsole.map(({ type }) => type), ["BankAccountMoved", "BankAccountDeactivated"])
  })

  it.effect("reports errors in Thai", function* () {
    const { createService } = yield* RunningService
    const { baseUrl, cookie, csrf } = yield* operator
    const { id, mainBranch } = yield* createService()
    const thai = { cookie, headers: { "accept-language": "th" } }
    const wrong = { csrf, name: "n".repeat(201), plan: "p".repeat(101), quota: "-1", expiresAt: "soon" }
    const webhookUrl = "http://shop.example"
    const branch = { csrf, name: "", quota: "1.5", ipWhitelist: "wrong\nalso-wrong", webhookUrl }
    const sent = yield* Effect.all([
      sendForm(baseUrl, `/console/services/${id}`, wrong, thai),
      sendForm(baseUrl, `/console/branches/${mainBranch.id}`, branch, thai),
      sendForm(baseUrl, `/console/services/${id}/ban`, { csrf, reason: "r".repeat(501) }, thai),
      sendForm(baseUrl, `/console/services/${mainBranch.id}/ban`, { csrf }, thai),
      getPage(baseUrl, "/console/callbacks?state=x&host=a%20b", thai),
      getPage(baseUrl, "/console/services?cursor=x", thai),
      getPage(baseUrl, "/console/services?limit=0", thai)
    ])
    assert.deepStrictEqual(sent.map(({ status }) => status), [400, 400, 400, 404, 400, 400, 400])
    for (const answer of sent) {
      const text = yield* Effect.promise(() => answer.text())
      assert.notMatch(text, /Expected|Validation failed|There is|is not valid/u)
    }
  })

  it.effect("shows the query of a webhook URL only in the field that changes it", function* () {
    const { admin, createService } = yield* RunningService
    const { cookie } = yield* operator
    const { id, mainBranch } = yield* createService()
    const webhookUrl = "https://shop.example/hook?token=t0k3n"
    assert.strictEqual((yield* admin("PATCH", `/branches/${mainBranch.id}`, { webhookUrl })).status, 200)
    const shown = Effect.fnUntraced(function* (path: string) {
      const { text } = yield* read(path, cookie)
      return [text.split("https://shop.example/hook").length - 1, text.split("t0k3n").length - 1]
    })
    assert.deepStrictEqual(yield* shown(`/console/services/${id}`), [1, 0])
    assert.deepStrictEqual(yield* shown(`/console/branches/${mainBranch.id}`), [2, 1])
  })

  it.effect("redirects to its own pages only, for every way to write a path", function* () {
    const { baseUrl } = yield* RunningService
    const outside = [
      "/console/..//evil.example",
      "/console/../admin/v1/services",
      "/console/%2e%2e/admin",
      "/console/.%2E/x",
      `/console/${"a".repeat(8_000)}`
    ]
    for (const to of outside) {
      const answer = yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN, to })
      assert.strictEqual(answer.headers.get("location"), "/console", to.slice(0, 40))
    }
    const inside = "/console/callbacks?host=a..b.example%3A8443&state=pending"
    const answer = yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN, to: inside })
    assert.strictEqual(answer.headers.get("location"), inside)
  })
})
