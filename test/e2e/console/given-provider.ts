import { Context, Effect, Layer } from "effect"
import { type HostileProvider, startHostileProvider } from "../../support/oidc/hostile-provider.ts"
import { oidcEnv } from "../../support/oidc/oidc-env.ts"
import { type Env, layerRunningService, RunningService } from "../../support/service.ts"
import { cookieOf, getPage } from "./given-console.ts"

/** The provider of the service under test. */
export class TestProvider extends Context.Service<TestProvider, HostileProvider>()("test/TestProvider") {
  static readonly layer = Layer.effect(TestProvider, startHostileProvider)
}

/** A service whose operators sign in at a provider that does what the test says. */
export const layerWithProvider = (env: Env = {}) =>
  Layer.unwrap(Effect.map(TestProvider, ({ issuer }) =>
    layerRunningService({
      ROLES: "http,projector",
      TRUSTED_PROXIES: "127.0.0.1",
      ...oidcEnv(issuer, "http://127.0.0.1:8080"),
      ...env
    }))).pipe(Layer.provideMerge(TestProvider.layer))

let addresses = 0

/** The headers of a browser at an address of its own, so that the limits of wrong tokens do not join the tests. */
export const newBrowser = () => {
  addresses += 1
  return { "x-forwarded-for": `198.51.100.${addresses}`, "accept-language": "en" }
}

/** Begins a sign-in: the URL at the provider, and the browser's cookie. */
export const startSignIn = Effect.fnUntraced(
  function* (headers: Readonly<Record<string, string>>, to = "/console/services") {
    const { baseUrl } = yield* RunningService
    const answer = yield* getPage(baseUrl, `/console/login/oidc?to=${encodeURIComponent(to)}`, { headers })
    return { answer, url: answer.headers.get("location") ?? "", cookie: cookieOf(answer) }
  }
)

/** The browser comes back from the provider. */
export const comeBack = Effect.fnUntraced(function* (
  answer: URLSearchParams,
  cookie: string,
  headers: Readonly<Record<string, string>>
) {
  const { baseUrl } = yield* RunningService
  return yield* getPage(baseUrl, `/console/login/oidc/callback?${answer.toString()}`, { cookie, headers })
})

/** A whole sign-in of a person at the provider. `change` changes what the browser brings back. */
export const signInAtProvider = Effect.fnUntraced(function* (
  headers: Readonly<Record<string, string>> = newBrowser(),
  change: (answer: URLSearchParams) => URLSearchParams = (answer) => answer
) {
  const { authorize } = yield* TestProvider
  const { cookie, url } = yield* startSignIn(headers)
  return yield* comeBack(change(authorize(url)), cookie, headers)
})

/** The session cookie among the cookies of an answer; undefined without one. */
export const sessionOf = (answer: Response): string | undefined =>
  answer.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0] ?? "")
    .find((cookie) => cookie.startsWith("sliptrail_console="))
