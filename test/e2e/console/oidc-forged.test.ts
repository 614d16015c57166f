import { assert, layer } from "../../support/it.ts"
import { Effect } from "effect"
import { CLIENT_ID, CLIENT_SECRET } from "../../support/oidc/oidc-env.ts"
import {
  type Claims,
  hmacToken,
  newSigningKey,
  signedToken,
  type SigningKey,
  unsignedToken
} from "../../support/oidc/signed-token.ts"
import { RunningService } from "../../support/service.ts"
import { getPage, textOf } from "./given-console.ts"
import {
  comeBack,
  layerWithProvider,
  newBrowser,
  sessionOf,
  signInAtProvider,
  startSignIn,
  TestProvider
} from "./given-provider.ts"

const now = () => Math.floor(Date.now() / 1_000)

type Forge = (claims: Claims, key: SigningKey) => string

/** A correct signature over other claims. */
const withClaims = (change: (claims: Claims) => Claims): Forge => (claims, key) => signedToken(key, change(claims))

const flipped = (token: string): string => {
  const [header = "", claims = "", signature = ""] = token.split(".")
  return [header, claims, (signature.startsWith("A") ? "B" : "A") + signature.slice(1)].join(".")
}

const forged: Readonly<Record<string, Forge>> = {
  "of the algorithm none": (claims) => unsignedToken(claims),
  "of HS256 with the client secret": (claims) => hmacToken(CLIENT_SECRET, claims),
  "of HS256 with the public key": (claims, { kid, publicPem }) => hmacToken(publicPem, claims, kid),
  "of HS256 with the JWK": (claims, { jwk, kid }) => hmacToken(JSON.stringify(jwk), claims, kid),
  "with a changed signature": (claims, key) => flipped(signedToken(key, claims)),
  "with a signature of another key under the same kid": (claims, { kid }) =>
    signedToken({ kid, privateKey: newSigningKey().privateKey }, claims),
  "with a signature of an unknown key": (claims) => signedToken(newSigningKey(), claims),
  "of another issuer": withClaims((claims) => ({ ...claims, iss: "https://evil.example" })),
  "of no issuer": withClaims(({ iss: _, ...claims }) => claims),
  "for another audience": withClaims((claims) => ({ ...claims, aud: "another-client" })),
  "for several audiences without azp": withClaims((claims) => ({ ...claims, aud: [CLIENT_ID, "another-client"] })),
  "for several audiences, issued for another": withClaims((claims) => ({
    ...claims,
    aud: [CLIENT_ID, "another-client"],
    azp: "another-client"
  })),
  "for one audience, issued for another": withClaims((claims) => ({ ...claims, azp: "another-client" })),
  "with another nonce": withClaims((claims) => ({ ...claims, nonce: "another-nonce" })),
  "without a nonce": withClaims(({ nonce: _, ...claims }) => claims),
  "that has expired": withClaims((claims) => ({ ...claims, exp: now() - 90 })),
  "without an expiry": withClaims(({ exp: _, ...claims }) => claims),
  "that is not valid yet": withClaims((claims) => ({ ...claims, nbf: now() + 120 })),
  "from the future": withClaims((claims) => ({ ...claims, iat: now() + 120 })),
  "without a subject": withClaims(({ sub: _, ...claims }) => claims),
  "that is no token": () => "a.b.c"
}

layer.live(layerWithProvider())("an answer of the OpenID Connect provider", (it) => {
  it.effect("signs in with its name and role, and forgets the started sign-in", function* () {
    const { baseUrl, logs } = yield* RunningService
    const answer = yield* signInAtProvider()
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("refresh"), "0;url=/console/services")
    assert.match(answer.headers.getSetCookie().join("\n"), /^sliptrail_oidc=; Max-Age=0; /mu)
    const page = yield* Effect.flatMap(
      getPage(baseUrl, "/console/services", { cookie: sessionOf(answer) }),
      textOf
    )
    assert.include(page, "oidc:ann@shop.example · Support")
    assert.notInclude(logs.join("\n"), "id_token")
  })

  for (const [title, forge] of Object.entries(forged)) {
    it.effect(`is refused with an ID token ${title}`, function* () {
      const provider = yield* TestProvider
      const { logs } = yield* RunningService
      provider.idToken = forge
      const answer = yield* Effect.ensuring(signInAtProvider(), Effect.sync(provider.reset))
      assert.deepStrictEqual([answer.status, sessionOf(answer)], [502, undefined])
      const page = yield* textOf(answer)
      assert.include(page, "does not prove who you are")
      assert.include(page, answer.headers.get("x-request-id") ?? "missing")
      assert.include(page, `name="token"`)
      const logged = logs.filter((line) => line.includes("failed")).at(-1) ?? ""
      assert.include(logged, "wrong-token")
      assert.notMatch(logged, /ann@shop\.example|eyJ/u)
    })
  }

  it.effect("is accepted when the clocks differ by less than a minute", function* () {
    const provider = yield* TestProvider
    const skewed = [{ exp: now() - 30 }, { nbf: now() + 30 }, { iat: now() + 30 }]
    for (const times of skewed) {
      provider.idToken = withClaims((claims) => ({ ...claims, ...times }))
      const answer = yield* Effect.ensuring(signInAtProvider(), Effect.sync(provider.reset))
      assert.strictEqual(answer.status, 200, JSON.stringify(times))
    }
  })

  it.effect("is accepted with a new key right after the old one signed, and no longer with a withdrawn key", function* () {
    const provider = yield* TestProvider
    const old = provider.key
    assert.strictEqual((yield* signInAtProvider()).status, 200)
    const next = newSigningKey()
    Object.assign(provider, { key: next, published: [old, next] })
    assert.strictEqual((yield* signInAtProvider()).status, 200)
    Object.assign(provider, { key: old, published: [next] })
    const withdrawn = yield* Effect.ensuring(signInAtProvider(), Effect.sync(provider.reset))
    assert.strictEqual(withdrawn.status, 502)
  })

  it.effect("is refused with another state, without one, with two, and with another issuer", function* () {
    const { requests } = yield* TestProvider
    const changes: ReadonlyArray<readonly [number, (answer: URLSearchParams) => void]> = [
      [400, (answer) => answer.set("state", "another-state")],
      [400, (answer) => answer.delete("state")],
      [400, (answer) => answer.append("state", answer.get("state") ?? "")],
      [502, (answer) => answer.set("iss", "https://evil.example")],
      [502, (answer) => answer.delete("iss")]
    ]
    for (const [status, change] of changes) {
      const before = requests.length
      const answer = yield* signInAtProvider(newBrowser(), (parameters) => {
        change(parameters)
        return parameters
      })
      assert.deepStrictEqual([answer.status, sessionOf(answer)], [status, undefined])
      assert.deepStrictEqual(requests.slice(before), [])
    }
  })

  it.effect("of another sign-in neither ends the started one nor counts against the address", function* () {
    const { authorize } = yield* TestProvider
    const headers = newBrowser()
    const { cookie, url } = yield* startSignIn(headers)
    for (let sent = 0; sent < 8; sent += 1) {
      const answer = yield* comeBack(new URLSearchParams({ code: "x", state: "another-state" }), cookie, headers)
      assert.deepStrictEqual([answer.status, answer.headers.getSetCookie()], [400, []])
    }
    assert.strictEqual((yield* comeBack(authorize(url), cookie, headers)).status, 200)
  })

  it.effect("is refused in another browser and with a changed cookie", function* () {
    const { authorize } = yield* TestProvider
    const headers = newBrowser()
    const { cookie, url } = yield* startSignIn(headers)
    const changed = `${cookie.slice(0, -6)}${cookie.at(-6) === "A" ? "B" : "A"}${cookie.slice(-5)}`
    for (const other of ["", changed, "sliptrail_oidc=e30"]) {
      const answer = yield* comeBack(authorize(url), other, headers)
      assert.deepStrictEqual([answer.status, sessionOf(answer)], [400, undefined])
      assert.include(yield* textOf(answer), "Start again at http://127.0.0.1:8080")
    }
  })

  it.effect("is used once: a second time the provider refuses the code", function* () {
    const { authorize } = yield* TestProvider
    const headers = newBrowser()
    const { cookie, url } = yield* startSignIn(headers)
    const answer = authorize(url)
    assert.strictEqual((yield* comeBack(answer, cookie, headers)).status, 200)
    const again = yield* comeBack(answer, cookie, headers)
    assert.deepStrictEqual([again.status, sessionOf(again)], [400, undefined])
    assert.include(yield* textOf(again), "it was used or has expired")
  })

  it.effect("is refused with the code of a sign-in that another browser started", function* () {
    const { authorize } = yield* TestProvider
    const victim = yield* startSignIn(newBrowser())
    const stolen = authorize(victim.url).get("code") ?? ""
    const answer = yield* signInAtProvider(newBrowser(), (parameters) => {
      parameters.set("code", stolen)
      return parameters
    })
    assert.deepStrictEqual([answer.status, sessionOf(answer)], [400, undefined])
  })

  it.effect("counts as a wrong token does when it is refused, and the address must wait after five", function* () {
    const { baseUrl } = yield* RunningService
    const { requests } = yield* TestProvider
    const headers = newBrowser()
    const guess = (answer: URLSearchParams) => {
      answer.set("code", "a-guess")
      return answer
    }
    for (let wrong = 0; wrong < 5; wrong += 1) {
      assert.strictEqual((yield* signInAtProvider(headers, guess)).status, 400)
    }
    const before = requests.length
    const paused = yield* signInAtProvider(headers)
    assert.strictEqual(paused.status, 429)
    assert.isAtLeast(Number(paused.headers.get("retry-after")), 50)
    assert.deepStrictEqual(requests.slice(before), [])
    const metrics = yield* Effect.flatMap(getPage(baseUrl, "/metrics"), textOf)
    assert.match(metrics, /sliptrail_admin_refusals_total\{[^}]*reason="wrong_sign_in"[^}]*\} [1-9]/u)
    assert.strictEqual((yield* signInAtProvider()).status, 200)
  })
})
