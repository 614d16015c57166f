import { assert, describe, it, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { startHostileProvider } from "../../support/oidc/hostile-provider.ts"
import { oidcEnv } from "../../support/oidc/oidc-env.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { makeShiftedClock } from "../../support/shifted-clock.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { cookieOf, getPage, sendForm, textOf } from "./given-console.ts"
import {
  comeBack,
  layerWithProvider,
  newBrowser,
  sessionOf,
  signInAtProvider,
  startSignIn,
  TestProvider
} from "./given-provider.ts"

layer.live(layerWithProvider())("sign-in while the provider is away", (it) => {
  it.effect("says so, accepts a token, and works again as soon as the provider does", function* () {
    const provider = yield* TestProvider
    const { baseUrl } = yield* RunningService
    const { host } = new URL(provider.issuer)
    provider.intercept = (_, response) => Boolean(response.destroy())
    const { answer } = yield* startSignIn(newBrowser())
    assert.strictEqual(answer.status, 503)
    const page = yield* textOf(answer)
    assert.include(page, `${host} does not answer`)
    assert.include(page, `Sign in with ${host}`)
    const token = /name="token"/u.test(page) ? "the-admin-token-of-a-test" : ""
    assert.strictEqual((yield* sendForm(baseUrl, "/console/login", { token })).status, 303)
    provider.reset()
    assert.strictEqual((yield* signInAtProvider()).status, 200)
  })

  it.effect("says so also when the provider goes away in the middle, and counts nothing against the address", function* () {
    const provider = yield* TestProvider
    const headers = newBrowser()
    for (const path of ["/token", "/token", "/token", "/keys", "/keys", "/keys"]) {
      const { cookie, url } = yield* startSignIn(headers)
      provider.intercept = (request, response) => request.url === path && Boolean(response.writeHead(502).end())
      const answer = yield* comeBack(provider.authorize(url), cookie, headers)
      assert.deepStrictEqual([answer.status, sessionOf(answer)], [503, undefined])
      provider.reset()
    }
    assert.strictEqual((yield* signInAtProvider(headers)).status, 200)
  })

  it.effect("says what the provider answered: refused, away, or not configured for this client", function* () {
    const { logs } = yield* RunningService
    const answers = [
      ["access_denied", 403, "access was denied"],
      ["temporarily_unavailable", 503, "does not answer"],
      ["unauthorized_client", 502, "do not fit together"],
      ["<script>", 502, "do not fit together"]
    ] as const
    for (const [error, status, text] of answers) {
      const answer = yield* signInAtProvider(newBrowser(), (parameters) => {
        parameters.delete("code")
        parameters.set("error", error)
        parameters.set("error_description", "<b>described</b>")
        return parameters
      })
      assert.strictEqual(answer.status, status, error)
      const page = yield* textOf(answer)
      assert.include(page, text)
      assert.notInclude(page, "<b>")
    }
    assert.include(logs.join("\n"), "the provider answered unauthorized_client")
    assert.notInclude(logs.join("\n"), "<script>")
  })

  it.effect("says that the settings are wrong when the provider refuses the client's secret", function* () {
    const provider = yield* TestProvider
    provider.intercept = ({ url }, response) =>
      url === "/token"
      && Boolean(
        response.writeHead(401, { "content-type": "application/json", "www-authenticate": "Basic" })
          .end(`{"error":"invalid_client"}`)
      )
    const answer = yield* Effect.ensuring(signInAtProvider(), Effect.sync(provider.reset))
    assert.strictEqual(answer.status, 502)
    assert.include(yield* textOf(answer), "do not fit together")
  })
})

layer.live(layerWithProvider())("an account of the provider", (it) => {
  it.effect("without a role is refused and recorded; without a verified address it is refused", function* () {
    const provider = yield* TestProvider
    const { admin } = yield* RunningService
    provider.userInfo = (claims) => ({
      ...claims,
      groups: ["all-staff"],
      email: "joy@shop.example",
      email_verified: false
    })
    const accounts = [
      [{ groups: ["all-staff"] }, "The account oidc:ann@shop.example has no role here"],
      [{ email_verified: false }, "sent no usable email of your account"],
      [{ email: undefined, groups: undefined }, "sent no usable email of your account"]
    ] as const
    const { idToken } = provider
    for (const [change, text] of accounts) {
      provider.idToken = (claims, key) => idToken({ ...claims, ...change }, key)
      const answer = yield* signInAtProvider()
      assert.deepStrictEqual([answer.status, sessionOf(answer)], [403, undefined])
      assert.include(yield* textOf(answer), text)
    }
    provider.reset()
    const audit = yield* admin("GET", "/audit?operator=oidc:ann@shop.example")
    assert.include(audit.text, "Operator oidc:ann@shop.example was refused signIn in the console")
  })

  it.effect("has its name to itself: another account with the name is refused and recorded, in any spelling", function* () {
    const provider = yield* TestProvider
    const { admin } = yield* RunningService
    const { idToken } = provider
    const signInAs = (sub: string, email: string) => {
      provider.idToken = (claims, key) => idToken({ ...claims, sub, email }, key)
      return signInAtProvider()
    }
    assert.isDefined(sessionOf(yield* signInAs("person-7", "may@shop.example")))
    assert.isDefined(sessionOf(yield* signInAs("person-7", "May@Shop.example")))
    for (const [sub, email] of [["person-8", "may@shop.example"], ["PERSON-7", "MAY@shop.example"]] as const) {
      const refused = yield* signInAs(sub, email)
      assert.deepStrictEqual([refused.status, sessionOf(refused)], [403, undefined])
      assert.include(yield* textOf(refused), `the name oidc:${email} belongs to another account`)
    }
    assert.isDefined(sessionOf(yield* signInAs("person-7", "may.new@shop.example")))
    provider.reset()

    const bound = yield* admin<{ readonly items: ReadonlyArray<{ readonly summary: string }> }>(
      "GET",
      "/audit?kind=OidcNameBound&operator=oidc:may@shop.example"
    )
    assert.deepStrictEqual(bound.data.items.map(({ summary }) => summary), [
      `Name oidc:may@shop.example given to the account person-7 of ${new URL(provider.issuer).href}`
    ])
    const audit = yield* admin("GET", "/audit?kind=OperatorRefused&operator=oidc:may@shop.example")
    assert.include(audit.text, "the name belongs to another account")
    assert.include(audit.text, "person-8")
  })

  it.effect("without the mark of its address gets the name of the setting that decides", function* () {
    const provider = yield* TestProvider
    const { idToken } = provider
    provider.idToken = (claims, key) => idToken({ ...claims, email_verified: undefined }, key)
    const answer = yield* Effect.ensuring(signInAtProvider(), Effect.sync(provider.reset))
    assert.deepStrictEqual([answer.status, sessionOf(answer)], [403, undefined])
    assert.include(yield* textOf(answer), "OIDC_TRUST_UNMARKED_EMAIL")
  })

  it.effect("without a role does not forgive the wrong tokens of its address", function* () {
    const provider = yield* TestProvider
    const { baseUrl } = yield* RunningService
    const headers = newBrowser()
    const wrong = Effect.map(
      sendForm(baseUrl, "/console/login", { token: "wrong" }, { headers }),
      ({ status }) => status
    )
    for (let guess = 0; guess < 4; guess += 1) {
      assert.strictEqual(yield* wrong, 401)
    }
    const { idToken } = provider
    provider.idToken = (claims, key) => idToken({ ...claims, groups: [] }, key)
    assert.strictEqual((yield* Effect.ensuring(signInAtProvider(headers), Effect.sync(provider.reset))).status, 403)
    assert.deepStrictEqual([yield* wrong, yield* wrong], [401, 429])
  })

  it.effect("has a session that is listed by its name, and that an administrator ends", function* () {
    const { admin, baseUrl } = yield* RunningService
    const cookie = sessionOf(yield* signInAtProvider())
    const sessions = yield* admin("GET", "/sessions?operator=oidc:ann@shop.example")
    assert.include(sessions.text, `"source":"oidc"`)
    assert.strictEqual((yield* getPage(baseUrl, "/console", { cookie })).status, 200)
    assert.strictEqual((yield* getPage(baseUrl, "/console/services/new", { cookie })).status, 403)
    assert.strictEqual((yield* admin("POST", "/operators/oidc:ann@shop.example/end-sessions")).status, 200)
    assert.strictEqual((yield* getPage(baseUrl, "/console", { cookie })).status, 303)
  })

  it.effect("goes to the console from an answer that was used, and to the page when it is signed in already", function* () {
    const { authorize } = yield* TestProvider
    const { baseUrl } = yield* RunningService
    const headers = newBrowser()
    const { cookie, url } = yield* startSignIn(headers)
    const answer = authorize(url)
    const session = sessionOf(yield* comeBack(answer, cookie, headers)) ?? ""
    const again = yield* comeBack(answer, session, headers)
    assert.deepStrictEqual([again.status, again.headers.get("location")], [303, "/console"])
    const start = yield* getPage(baseUrl, "/console/login/oidc?to=/console/audit", { cookie: session })
    assert.deepStrictEqual([start.status, start.headers.get("location")], [303, "/console/audit"])
  })

  it.effect("keeps what proves its sign-in in one cookie that scripts cannot read, for ten minutes", function* () {
    const { baseUrl } = yield* RunningService
    const { answer, url } = yield* startSignIn(newBrowser())
    const cookie = answer.headers.get("set-cookie") ?? ""
    assert.match(
      cookie,
      /^sliptrail_oidc=[\w-]{1,3000}; Max-Age=600; Path=\/console\/login\/oidc; HttpOnly; SameSite=Lax$/u
    )
    const plain = Buffer.from(cookieOf(answer).split("=")[1] ?? "", "base64url").toString()
    assert.notInclude(plain, new URL(url).searchParams.get("state") ?? "no state")
    const secure = yield* getPage(baseUrl, "/console/login/oidc", { headers: { "x-forwarded-proto": "https" } })
    assert.match(
      secure.headers.get("set-cookie") ?? "",
      /^__Host-sliptrail_oidc=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/u
    )
    const long = yield* startSignIn(newBrowser(), `/console/find?q=${"a".repeat(2_000)}`)
    assert.isBelow(long.cookie.length, 4_000)
    const elsewhere = yield* startSignIn(newBrowser(), "https://evil.example/")
    assert.strictEqual(elsewhere.answer.status, 303)
  })
})

describe("a started sign-in", () => {
  it.live("can be finished for ten minutes", function* () {
    const provider = yield* startHostileProvider
    const { advance, layer: layerClock } = yield* makeShiftedClock(Date.now())
    const env = { ROLES: "http,projector", ...oidcEnv(provider.issuer, "http://127.0.0.1:8080") }
    const service = layerRunningService(env).pipe(Layer.provide(layerClock))
    const statusAfter = Effect.fnUntraced(function* (minutes: number) {
      const headers = newBrowser()
      const { cookie, url } = yield* startSignIn(headers)
      advance(minutes * 60_000)
      return (yield* comeBack(provider.authorize(url), cookie, headers)).status
    })
    const statuses = Effect.all([statusAfter(9), statusAfter(10)])
    assert.deepStrictEqual(yield* Effect.provide(statuses, service), [200, 400])
  })
})

describe("sessions of the provider's accounts", () => {
  it.live("end when OIDC_ROLES or the provider changes, and last over a restart", function* () {
    const dataDir = yield* temporaryFolder
    const provider = yield* startHostileProvider
    const env = { DATA_DIR: dataDir, ROLES: "http,projector", ...oidcEnv(provider.issuer, "http://127.0.0.1:8080") }
    const statusOf = (cookie: string | undefined, change: Readonly<Record<string, string>>) =>
      Effect.gen(function* () {
        const { baseUrl } = yield* RunningService
        return (yield* getPage(baseUrl, "/console", { cookie })).status
      }).pipe(Effect.provide(layerRunningService({ ...env, ...change })))

    const cookie = yield* Effect.provide(
      Effect.map(Effect.provideService(signInAtProvider(), TestProvider, provider), sessionOf),
      layerRunningService(env)
    )
    assert.strictEqual(yield* statusOf(cookie, {}), 200)
    assert.strictEqual(yield* statusOf(cookie, { OIDC_ROLES: "slip-support=auditor" }), 303)
    const none = {
      OIDC_ISSUER: "",
      OIDC_CLIENT_ID: "",
      OIDC_CLIENT_SECRET: "",
      OIDC_REDIRECT_URL: "",
      OIDC_ROLES: ""
    }
    assert.strictEqual(yield* statusOf(cookie, none), 303)
  })
})
