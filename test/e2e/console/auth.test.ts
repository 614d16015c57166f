import { assert, layer } from "../../support/it.ts"
import { Effect } from "effect"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../../support/service.ts"
import { assertFailure } from "../assert-answer.ts"
import { formTokenIn, getPage, sendForm, signedIn } from "./given-console.ts"

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
  + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const http = { ROLES: "http,projector" }

layer.live(layerRunningService({ ...http, ADMIN_TOKEN: "" }))(
  "the console without ADMIN_TOKEN and without operators",
  (it) => {
    it.effect("accepts no token, and its sign-in page says how to add an operator", function* () {
      const { baseUrl, call } = yield* RunningService
      const page = yield* Effect.flatMap(
        getPage(baseUrl, "/console/login"),
        (answer) => Effect.promise(() => answer.text())
      )
      assert.include(page, "npx sliptrail operator add NAME --role admin")
      assert.strictEqual((yield* getPage(baseUrl, "/console/services")).status, 303)
      for (const token of ["undefined", ADMIN_TOKEN]) {
        assert.strictEqual((yield* sendForm(baseUrl, "/console/login", { token })).status, 401, token)
        assertFailure(
          yield* call("GET", "/admin/v1/services", { key: token }),
          401,
          "INVALID_API_KEY",
          "The admin token is invalid"
        )
      }
    })
  }
)

layer.live(layerRunningService({ ...http, TRUSTED_PROXIES: "127.0.0.1" }))("console authentication", (it) => {
  it.effect("redirects a request without a session to sign-in, and back to its page afterwards", function* () {
    const { baseUrl } = yield* RunningService
    const answer = yield* getPage(baseUrl, "/console/find?q=004%3AX")
    assert.strictEqual(answer.status, 303)
    assert.strictEqual(answer.headers.get("location"), "/console/login?to=%2Fconsole%2Ffind%3Fq%3D004%253AX")
    const signed = yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN, to: "/console/find?q=004%3AX" })
    assert.deepStrictEqual([signed.status, signed.headers.get("location")], [303, "/console/find?q=004%3AX"])
  })

  it.effect("redirects to paths of the console only", function* () {
    const { baseUrl } = yield* RunningService
    const elsewhere = [
      "https://evil.example/",
      "//evil.example",
      "/console//evil.example",
      "/consoles",
      "/console\\..\\x",
      "/console/\nx",
      "javascript:1"
    ]
    for (const to of elsewhere) {
      const answer = yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN, to })
      assert.strictEqual(answer.headers.get("location"), "/console", to)
    }
    const language = yield* getPage(baseUrl, "/console/language/th?to=https%3A%2F%2Fevil.example")
    assert.strictEqual(language.headers.get("location"), "/console")
  })

  it.effect("sets a cookie that is HttpOnly and SameSite=Strict, and Secure with __Host- behind https", function* () {
    const { baseUrl } = yield* RunningService
    const plain = yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN })
    const value =
      "sliptrail_console=\\d+\\.\\d+\\.0\\.[0-9a-f-]{36}\\.token\\.admin\\.[\\w-]+\\.[0-9a-f]{32}; Max-Age=28800"
    assert.match(
      plain.headers.get("set-cookie") ?? "",
      new RegExp(`^${value}; Path=/console; HttpOnly; SameSite=Strict$`, "u")
    )
    assert.isNull(plain.headers.get("strict-transport-security"))
    const behindProxy = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9" }
    const secure = yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN }, { headers: behindProxy })
    assert.match(
      secure.headers.get("set-cookie") ?? "",
      new RegExp(`^__Host-${value}; Path=/; HttpOnly; Secure; SameSite=Strict$`, "u")
    )
    assert.strictEqual(secure.headers.get("strict-transport-security"), "max-age=31536000")
    const cookie = (secure.headers.get("set-cookie") ?? "").split(";", 1)[0]
    assert.strictEqual((yield* getPage(baseUrl, "/console", { cookie, headers: behindProxy })).status, 200)
    // Over https only the cookie with the prefix counts: another host of the domain can set one without.
    const without = cookie?.replace("__Host-", "")
    const other = yield* getPage(baseUrl, "/console", { cookie: without, headers: behindProxy })
    assert.strictEqual(other.status, 303)
  })

  it.effect("protects its pages from caches, frames and foreign scripts", function* () {
    const { baseUrl } = yield* RunningService
    const cookie = yield* signedIn(baseUrl)
    for (const path of ["/console/login", "/console", "/console/nothing"]) {
      const { headers } = yield* getPage(baseUrl, path, { cookie })
      assert.strictEqual(headers.get("content-security-policy"), POLICY)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("referrer-policy"), "same-origin")
      assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/u)
      assert.isNull(headers.get("cookie"))
    }
  })

  it.effect("serves its files under paths with a digest, as immutable", function* () {
    const { baseUrl } = yield* RunningService
    const text = yield* Effect.promise(async () => (await fetch(`${baseUrl}/console/login`)).text())
    const files = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/gu)].map(([, file = ""]) => file)
    assert.strictEqual(files.length, 4)
    for (const file of files) {
      const { headers, status } = yield* getPage(baseUrl, file)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.match(headers.get("content-type") ?? "", /^text\/(?:css|javascript); charset=utf-8$/u)
    }
    assert.strictEqual((yield* getPage(baseUrl, "/console/assets/0000000000000000/console.js")).status, 303)
  })

  it.effect("rejects wrong tokens, and pauses an address after five of them", function* () {
    const { baseUrl, logs } = yield* RunningService
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
    const wrong = ["", "wrong", `${ADMIN_TOKEN}x`, ADMIN_TOKEN.slice(1), ADMIN_TOKEN.toUpperCase()]
    for (const token of wrong) {
      const answer = yield* sendForm(baseUrl, "/console/login", { token }, from("198.51.100.7"))
      assert.deepStrictEqual([answer.status, answer.headers.get("set-cookie")], [401, null], token)
    }
    const paused = yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN }, from("198.51.100.7"))
    assert.strictEqual(paused.status, 429)
    assert.isAtLeast(Number(paused.headers.get("retry-after")), 50)
    const other = yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN }, from("198.51.100.8"))
    assert.strictEqual(other.status, 303)
    assert.strictEqual(logs.filter((line) => line.includes("wrong admin token")).length, wrong.length)
    assert.notInclude(logs.join("\n"), ADMIN_TOKEN)
  })

  it.effect("rejects forged cookies", function* () {
    const { baseUrl } = yield* RunningService
    const cookie = yield* signedIn(baseUrl)
    assert.strictEqual((yield* getPage(baseUrl, "/console", { cookie })).status, 200)
    const [start = "", seen = "", epoch = "", id = "", source = "", role = "", name = "", signature = ""] = cookie
      .split(".")
    const who = `${source}.${role}.${name}`
    const later = `sliptrail_console=${Number(start.split("=")[1]) + 3_600}`
    const forged = [
      `${later}.${seen}.${epoch}.${id}.${who}.${signature}`,
      `${start}.${Number(seen) + 3_600}.${epoch}.${id}.${who}.${signature}`,
      `${start}.${seen}.1.${id}.${who}.${signature}`,
      `${start}.${seen}.${epoch}.${id}.oidc.${role}.${name}.${signature}`,
      `${start}.${seen}.${epoch}.${id}.${who}.${signature.replace(/.$/u, (last) => last === "0" ? "1" : "0")}`,
      `${start}.${seen}.${epoch}.${id}.${who}`,
      // The form of earlier versions, which named no operator.
      `${start}.${seen}.${epoch}.${id}.${signature}`,
      "sliptrail_console=",
      `sliptrail_console=${ADMIN_TOKEN}`
    ]
    for (const one of forged) {
      assert.strictEqual((yield* getPage(baseUrl, "/console", { cookie: one })).status, 303, one)
    }
  })

  it.effect("accepts forms from its own pages only, with the session's form token", function* () {
    const { admin, baseUrl, createService } = yield* RunningService
    const { id, mainBranch } = yield* createService()
    const cookie = yield* signedIn(baseUrl)
    const page = yield* Effect.flatMap(
      getPage(baseUrl, "/console", { cookie }),
      (answer) => Effect.promise(() => answer.text())
    )
    const csrf = formTokenIn(page)
    const action = `/console/services/${id}/deactivate`
    const isActive = Effect.map(
      admin<{ readonly isActive: boolean }>("GET", `/services/${id}`),
      ({ data }) => data.isActive
    )

    const foreign = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: "https://evil.example" },
      { origin: "null" }
    ]
    for (const headers of foreign) {
      const { status } = yield* sendForm(baseUrl, action, { csrf }, { cookie, headers })
      assert.strictEqual(status, 403, JSON.stringify(headers))
    }
    const another = formTokenIn(
      yield* Effect.flatMap(
        getPage(baseUrl, "/console", { cookie: yield* signedIn(baseUrl) }),
        (answer) => Effect.promise(() => answer.text())
      )
    )
    const forms: ReadonlyArray<Readonly<Record<string, string>>> = [{}, { csrf: "" }, { csrf: "0".repeat(32) }, {
      csrf: another
    }]
    for (const form of forms) {
      assert.strictEqual((yield* sendForm(baseUrl, action, form, { cookie })).status, 403)
    }
    const noOrigin = yield* Effect.promise(() =>
      fetch(baseUrl + action, {
        method: "POST",
        redirect: "manual",
        headers: { cookie },
        body: new URLSearchParams({ csrf })
      })
    )
    assert.strictEqual(noOrigin.status, 403)
    assert.strictEqual((yield* sendForm(baseUrl, action, { csrf })).headers.get("location"), "/console/login")
    assert.strictEqual((yield* getPage(baseUrl, action, { cookie })).status, 404)
    assert.isTrue(yield* isActive)

    assert.strictEqual((yield* sendForm(baseUrl, action, { csrf }, { cookie })).status, 303)
    assert.isFalse(yield* isActive)
    assert.isString(mainBranch.apiKey)
    assert.strictEqual(
      (yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN }, {
        headers: { "sec-fetch-site": "cross-site" }
      })).status,
      403
    )
  })

  it.effect("answers unknown paths in HTML, and a fragment without a session with 401", function* () {
    const { baseUrl, call } = yield* RunningService
    const cookie = yield* signedIn(baseUrl)
    const missing = yield* getPage(baseUrl, "/console/nothing", { cookie })
    assert.deepStrictEqual([missing.status, missing.headers.get("content-type")], [404, "text/html; charset=utf-8"])
    const unknown = yield* call("PUT", "/console/services")
    assert.deepStrictEqual([unknown.status, unknown.headers.get("content-type")], [404, "text/html; charset=utf-8"])
    const fragment = yield* getPage(baseUrl, "/console", { headers: { "x-console-fragment": "state" } })
    assert.deepStrictEqual([fragment.status, fragment.headers.get("location")], [401, null])
  })
})
