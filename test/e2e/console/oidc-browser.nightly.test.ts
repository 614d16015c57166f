import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { accessibilityFaults } from "../../support/axe.ts"
import { newWindow, recordPage } from "../../support/browser.ts"
import { oidcEnv } from "../../support/oidc/oidc-env.ts"
import { startRealProvider } from "../../support/oidc/real-provider.ts"
import { freePort } from "../../support/redis-server.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { screenshot, TestBrowser, testBrowser, type Window } from "./given-console.ts"

const groups = { ann: ["all-staff", "slip-support", "slip-admins"], nok: ["slip-auditors"], stranger: ["all-staff"] }

/** Runs a test with a service whose provider is a real one. */
const withService = <A, E, R>(hasAllClaims: boolean, test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    const origin = `http://127.0.0.1:${port}`
    const env = { PORT: String(port), ROLES: "http,projector" }
    const issuer = yield* startRealProvider({
      redirectUrl: `${origin}/console/login/oidc/callback`,
      groups,
      hasAllClaims
    })
    const service = layerRunningService({ ...env, ...oidcEnv(issuer, origin) })
    return yield* Effect.provide(test, Layer.merge(service, TestBrowser.layer))
  })

const newPage = Effect.fnUntraced(
  function* ({ colorScheme = "light", height = 900, width = 1280, ...window }: Window = {}) {
    const browser = yield* testBrowser
    const context = yield* newWindow(browser, { viewport: { width, height }, colorScheme, locale: "en-GB", ...window })
    return yield* Effect.promise(() => context.newPage())
  }
)

/** Signs in on the provider's pages and consents, as a person does for the first time. */
const signInAs = async (page: Page, name: string) => {
  await page.click(".login .button.primary")
  await page.fill("input[name=login]", name)
  await page.fill("input[name=password]", "any")
  await page.click("button[type=submit]")
  await page.click("button[type=submit]")
  await page.waitForURL("http://127.0.0.1:*/console/**")
}

describe("sign-in at a real OpenID Connect provider", () => {
  it.live("leads to the page that was asked for, with the highest role, and ends with the sign-out", () =>
    withService(
      true,
      Effect.gen(function* () {
        const { baseUrl } = yield* RunningService
        const page = yield* newPage()
        yield* Effect.promise(() => page.goto(`${baseUrl}/console/operators`))
        assert.deepStrictEqual(yield* accessibilityFaults(page), [])
        yield* screenshot(page, "login-provider")
        const { problems } = recordPage(page)
        yield* Effect.promise(() => signInAs(page, "ann"))
        yield* Effect.promise(() => page.waitForURL(`${baseUrl}/console/operators`))
        const header = yield* Effect.promise(() => page.innerText(".account"))
        assert.include(header, "oidc:ann@shop.example · Administrator")
        const own = problems.filter((problem) => problem.includes(baseUrl))
        assert.deepStrictEqual(own, [])

        yield* Effect.promise(() => page.goto(`${baseUrl}/console/sessions`))
        const sessions = yield* Effect.promise(() => page.innerText("main"))
        assert.include(sessions, "oidc:ann@shop.example")
        const cookies = yield* Effect.promise(() => page.context().cookies(`${baseUrl}/console`))
        assert.deepStrictEqual(
          cookies.map(({ httpOnly, name, sameSite }) => ({ httpOnly, name, sameSite })),
          [{ httpOnly: true, name: "sliptrail_console", sameSite: "Strict" }]
        )

        yield* Effect.promise(() => page.click("form[action='/console/logout'] button"))
        yield* Effect.promise(() => page.waitForURL(`${baseUrl}/console/login`))
        yield* Effect.promise(() => page.goto(`${baseUrl}/console/operators`))
        assert.include(page.url(), "/console/login?to=")
      })
    ))

  it.live("reads claims that only the UserInfo answer has, without scripts, and shows a page of the role", () =>
    withService(
      false,
      Effect.gen(function* () {
        const { baseUrl } = yield* RunningService
        const page = yield* newPage({ javaScriptEnabled: false })
        yield* Effect.promise(() => page.goto(`${baseUrl}/console/login`))
        yield* Effect.promise(() => signInAs(page, "nok"))
        yield* Effect.promise(() => page.waitForURL(`${baseUrl}/console`))
        const header = yield* Effect.promise(() => page.innerText(".account"))
        assert.include(header, "oidc:nok@shop.example · Auditor")
      })
    ))

  it.live("refuses an account without a role in the language of the person, and records it", () =>
    withService(
      true,
      Effect.gen(function* () {
        const { admin, baseUrl } = yield* RunningService
        const page = yield* newPage({ colorScheme: "dark", width: 390 })
        yield* Effect.promise(() => page.goto(`${baseUrl}/console/language/th?to=/console/login`))
        yield* screenshot(page, "login-provider-phone-th")
        yield* Effect.promise(() => signInAs(page, "stranger"))
        const text = yield* Effect.promise(() => page.innerText("[role=alert]"))
        assert.include(text, "บัญชี oidc:stranger@shop.example ยังไม่มีบทบาทที่นี่")
        assert.deepStrictEqual(yield* accessibilityFaults(page), [])
        yield* screenshot(page, "login-no-role-phone-th")
        const audit = yield* admin<ReadonlyArray<{ readonly summary: string }>>("GET", "/audit?limit=5")
        assert.include(audit.text, "Operator oidc:stranger@shop.example was refused signIn in the console")
      })
    ))

  it.live("says so when the person refuses at the provider", () =>
    withService(
      true,
      Effect.gen(function* () {
        const { baseUrl } = yield* RunningService
        const page = yield* newPage()
        yield* Effect.promise(() => page.goto(`${baseUrl}/console/login`))
        yield* Effect.promise(() => page.click(".login .button.primary"))
        yield* Effect.promise(() => page.click("a[href$='/abort']"))
        yield* Effect.promise(() => page.waitForURL("http://127.0.0.1:*/console/**"))
        assert.include(yield* Effect.promise(() => page.innerText("[role=alert]")), "access was denied")
      })
    ))
})
