import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../../support/service.ts"
import { assertInvalid } from "../assert-answer.ts"
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

layer(layerRunningService({ ROLES: "http,projector" }), { excludeTestServices: true })(
  "the console with unusual input",
  (it) => {
    it.effect("shows names that look like a time, valid or not", () =>
      Effect.gen(function* () {
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
      }))

    it.effect("shows the state at every valid time, and rejects invalid times", () =>
      Effect.gen(function* () {
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
      }))

    it.effect("rejects a form with a repeated field", () =>
      Effect.gen(function* () {
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
      }))

    it.effect("rejects times whose year in UTC has more than four digits or a sign", () =>
      Effect.gen(function* () {
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
      }))

    it.effect("reports errors in Thai", () =>
      Effect.gen(function* () {
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
      }))

    it.effect("shows the query of a webhook URL only in the field that changes it", () =>
      Effect.gen(function* () {
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
      }))

    it.effect("redirects to its own pages only, for every way to write a path", () =>
      Effect.gen(function* () {
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
      }))
  }
)
