import { assert, layer } from "../../../../support/it.ts"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { hash } from "node:crypto"
import { makeOidcProvider } from "../../../../../infrastructure/web/console/oidc/provider.ts"
import { layerEgress } from "../../../../../infrastructure/adapters/egress/layer.ts"
import type { OidcClient } from "../../../../../infrastructure/platform/settings/oidc-client.ts"
import { Egress } from "../../../../../ports/egress.ts"
import { type HostileProvider, startHostileProvider } from "../../../../support/oidc/hostile-provider.ts"
import { CLIENT_ID, CLIENT_SECRET } from "../../../../support/oidc/oidc-env.ts"
import { hmacToken, unsignedToken } from "../../../../support/oidc/signed-token.ts"

const challenge = { state: "a-state", nonce: "a-nonce", verifier: "v".repeat(43) }

class TestProvider extends Context.Service<TestProvider, HostileProvider>()("test/TestProvider") {
  static readonly layer = Layer.effect(TestProvider, startHostileProvider)
}

const layerTest = Layer.merge(
  TestProvider.layer,
  layerEgress({ allowCidrs: ["127.0.0.0/8"], hosts: {}, dnsServers: [], userAgent: "SlipTrail" })
)

/** The client of the test's provider, which has read nothing yet. */
const newClient = Effect.fnUntraced(function* (change: Partial<OidcClient> = {}) {
  const { issuer, reset } = yield* TestProvider
  yield* Effect.addFinalizer(() => Effect.sync(reset))
  const client: OidcClient = {
    issuer: new URL(issuer),
    clientId: CLIENT_ID,
    clientSecret: Redacted.make(CLIENT_SECRET),
    redirectUrl: new URL("http://127.0.0.1:8080/console/login/oidc/callback"),
    scopes: "openid email",
    groupsClaim: "groups",
    nameClaim: "email",
    trustsUnmarkedEmail: false,
    roles: new Map([["slip-support", "support"]]),
    ...change
  }
  const egress = yield* Egress
  return yield* makeOidcProvider(client, (request, options) => Effect.runPromise(egress.request(request), options))
})

const failureOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  return Result.getOrThrow(Result.flip(yield* Effect.result(effect)))
})

/** What the provider says about the person after a whole sign-in. */
const claimsOf = Effect.fnUntraced(function* (change: Partial<OidcClient> = {}) {
  const { authorize } = yield* TestProvider
  const provider = yield* newClient(change)
  const url = yield* provider.authorizationUrl(challenge)
  return yield* provider.claims(authorize(url.href), challenge)
})

layer.live(layerTest)("the client of an OpenID Connect provider", (it) => {
  it.effect("asks with PKCE, state and nonce for the scopes of the settings", function* () {
    const { issuer } = yield* TestProvider
    const url = yield* Effect.flatMap(newClient(), ({ authorizationUrl }) => authorizationUrl(challenge))
    assert.strictEqual(url.origin + url.pathname, `${issuer}/authorize`)
    assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
      client_id: CLIENT_ID,
      response_type: "code",
      redirect_uri: "http://127.0.0.1:8080/console/login/oidc/callback",
      scope: "openid email",
      state: "a-state",
      nonce: "a-nonce",
      code_challenge: hash("sha256", challenge.verifier, "base64url"),
      code_challenge_method: "S256"
    })
  })

  it.effect("sends its secret as the provider wants it, and none as a public client", function* () {
    const provider = yield* TestProvider
    const tokenRequest = () => provider.requests.filter(({ url }) => url === "/token").at(-1)
    yield* claimsOf()
    const basic = atob(tokenRequest()?.headers.authorization?.replace("Basic ", "") ?? "")
    assert.deepStrictEqual(basic.split(":").map(decodeURIComponent), [CLIENT_ID, CLIENT_SECRET])
    provider.discovery = { token_endpoint_auth_methods_supported: ["client_secret_post"] }
    yield* claimsOf()
    assert.include(tokenRequest()?.body, `client_secret=${CLIENT_SECRET}`)
    assert.isUndefined(tokenRequest()?.headers.authorization)
    yield* claimsOf({ clientSecret: undefined })
    assert.notInclude(tokenRequest()?.body, "client_secret")
  })

  it.effect("reads UserInfo only for claims that the ID token leaves out, of the same person", function* () {
    const provider = yield* TestProvider
    yield* claimsOf()
    assert.isUndefined(provider.requests.find(({ url }) => url === "/userinfo"))
    const client = { groupsClaim: "teams" }
    provider.userInfo = (claims) => ({ ...claims, teams: ["slip-support"], email: "other@shop.example" })
    assert.deepInclude(yield* claimsOf(client), { teams: ["slip-support"], email: "ann@shop.example" })
    provider.userInfo = () => ({ sub: "person-2", teams: ["slip-support"] })
    assert.deepInclude(yield* failureOf(claimsOf(client)), { _tag: "OidcFailed", reason: "wrong-token" })
  })

  it.effect("refuses weak algorithms also when the provider lists them", function* () {
    const provider = yield* TestProvider
    provider.discovery = { id_token_signing_alg_values_supported: ["none", "HS256", "RS256"] }
    provider.idToken = (claims) => unsignedToken(claims)
    assert.deepInclude(yield* failureOf(claimsOf()), { reason: "wrong-token" })
    for (const secret of [CLIENT_SECRET, provider.key.publicPem]) {
      provider.idToken = (claims) => hmacToken(secret, claims)
      assert.deepInclude(yield* failureOf(claimsOf()), { reason: "wrong-token" })
    }
  })

  it.effect("says what is wrong with a discovery document, and reads it again", function* () {
    const provider = yield* TestProvider
    const { examine } = yield* newClient()
    const wrong: ReadonlyArray<readonly [Partial<HostileProvider>, string, string]> = [
      [{ discovery: { issuer: "https://evil.example" } }, "misconfigured", "issuer"],
      [{ discovery: { authorization_endpoint: undefined } }, "misconfigured", "no usable authorization_endpoint"],
      [
        { discovery: { authorization_endpoint: "javascript:1" } },
        "misconfigured",
        "no usable authorization_endpoint"
      ],
      [{ discovery: { token_endpoint: undefined } }, "misconfigured", "no usable token_endpoint"],
      [{ discovery: { jwks_uri: undefined } }, "misconfigured", "no usable jwks_uri"],
      [{ discovery: { jwks_uri: `${provider.issuer}/nowhere` } }, "misconfigured", "holds no keys"],
      [{ published: [] }, "misconfigured", "holds no keys"]
    ]
    for (const [change, reason, detail] of wrong) {
      Object.assign(provider, change)
      const { examine: examineNow } = yield* newClient()
      const failure = yield* failureOf(examineNow)
      provider.reset()
      assert.strictEqual(failure.reason, reason)
      assert.include(failure.detail, detail)
    }
    assert.strictEqual((yield* examine).issuer, provider.issuer)
  })

  it.effect("takes a failure of the provider for its absence, and tries again", function* () {
    const provider = yield* TestProvider
    const { examine } = yield* newClient()
    const answers: ReadonlyArray<readonly [string, HostileProvider["intercept"]]> = [
      ["status 503", (_, response) => Boolean(response.writeHead(503).end())],
      ["unreachable", (_, response) => Boolean(response.destroy())],
      ["too-large", (_, response) => Boolean(response.end("x".repeat(600 * 1_024)))]
    ]
    for (const [detail, intercept] of answers) {
      provider.intercept = intercept
      const failure = yield* failureOf(examine)
      assert.strictEqual(failure.reason, "away")
      assert.include(failure.detail, detail)
    }
    provider.reset()
    assert.strictEqual((yield* examine).issuer, provider.issuer)
  })

  it.effect("does not follow redirects, and refuses what is no discovery document", function* () {
    const provider = yield* TestProvider
    const { examine } = yield* newClient()
    const answers: ReadonlyArray<HostileProvider["intercept"]> = [
      (_, response) => Boolean(response.writeHead(302, { location: `${provider.issuer}/elsewhere` }).end()),
      (_, response) => Boolean(response.writeHead(200, { "content-type": "application/json" }).end("{")),
      (_, response) => Boolean(response.writeHead(200, { "content-type": "text/html" }).end("<p>hello</p>")),
      (_, response) => Boolean(response.writeHead(204).end())
    ]
    for (const intercept of answers) {
      provider.intercept = intercept
      assert.strictEqual((yield* failureOf(examine)).reason, "misconfigured")
    }
    assert.isUndefined(provider.requests.find(({ url }) => url === "/elsewhere"))
  })

  it.effect("waits five seconds for an answer", function* () {
    const provider = yield* TestProvider
    const { examine } = yield* newClient()
    provider.intercept = () => true
    assert.deepInclude(yield* failureOf(examine), {
      reason: "away",
      detail: "timeout: localhost took longer than 5000 ms"
    })
  })

  it.effect("reads the discovery document once for many sign-ins", function* () {
    const provider = yield* TestProvider
    const { authorizationUrl } = yield* newClient()
    const before = provider.requests.length
    yield* Effect.all(Array.from({ length: 20 }, () => authorizationUrl(challenge)), { concurrency: "unbounded" })
    assert.strictEqual(provider.requests.length - before, 1)
  })
})
