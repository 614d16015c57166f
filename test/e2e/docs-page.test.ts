import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import type { Document, OperationObject, PathItem } from "../../infrastructure/http/api/openapi/document-types.ts"
import { openPage, startBrowser } from "../support/browser.ts"
import { loadedAtStart } from "../support/loaded-with.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"

const given = Effect.gen(function* () {
  const service = yield* RunningService
  const { headers, status, text } = yield* service.call("GET", "/openapi.json")
  assert.strictEqual(status, 200)
  const document: Document = JSON.parse(text)
  return { ...service, document, headers }
})

const operationsOf = (item: PathItem): ReadonlyArray<OperationObject> =>
  Object.values(item).filter((one): one is OperationObject => "operationId" in one)

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

const env = { ROLES: "http,projector" }

layer(layerRunningService(env), { excludeTestServices: true })("the API documentation", (it) => {
  it.effect("is an OpenAPI document at /openapi.json, without a key", () =>
    Effect.gen(function* () {
      const { call, document, headers } = yield* given
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.strictEqual(headers.get("cache-control"), "no-cache")
      assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/u)
      const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
      assert.deepStrictEqual([document.openapi, document.info.version], ["3.1.1", manifest.version])
      assertFailure(yield* call("POST", "/openapi.json", { body: {} }), 404, "NOT_FOUND", "Resource not found")
    }))

  it.effect("is a page at /docs with every operation, path and code, and without other requests", () =>
    Effect.gen(function* () {
      const { baseUrl, document } = yield* given
      const browser = yield* startBrowser
      const { page, requests, problems } = yield* openPage(browser, `${baseUrl}/docs`, WIDE)

      const sections = yield* Effect.promise(() =>
        page.locator("section.operation").evaluateAll((all) =>
          all.map(({ id, textContent }) => [id, textContent] as const)
        )
      )
      const text = new Map(sections)
      for (const [path, item] of Object.entries(document.paths)) {
        for (const { operationId } of operationsOf(item)) {
          assert.include(text.get(operationId) ?? "", path, operationId)
          assert.isTrue(yield* Effect.promise(() => page.locator(`#${operationId} h3`).isVisible()), operationId)
        }
      }
      const codes = new Set(JSON.stringify(document).match(/"code":"[A-Z_]+"/gu)?.map((code) => code.slice(8, -1)))
      assert.isAtLeast(codes.size, 25)
      const all = [...text.values()].join("\n")
      for (const code of codes) assert.include(all, code)

      assert.deepStrictEqual(requests, [`${baseUrl}/docs`])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.effect("links from its contents to each operation, and opens nested fields", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* given
      const { page, problems } = yield* openPage(yield* startBrowser, `${baseUrl}/docs`, WIDE)
      yield* Effect.promise(async () => {
        await page.locator("nav.side").getByText("Change an account").click()
        const heading = await page.locator("#changeBankAccount h3").boundingBox()
        assert.isTrue(heading !== null && heading.y > 0 && heading.y < WIDE.height)

        const answer = page.locator("#verifyBank .response").first()
        await answer.locator("summary").first().click()
        await answer.locator("summary", { hasText: "VerifyBankData" }).click()
        assert.isTrue(await answer.getByText("matchedAccount", { exact: true }).isVisible())
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.effect("fits a phone", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* given
      const { page, problems } = yield* openPage(yield* startBrowser, `${baseUrl}/docs`, PHONE)
      const width = () => page.evaluate(() => document.documentElement.scrollWidth)
      yield* Effect.promise(async () => {
        assert.strictEqual(await width(), PHONE.width)
        assert.isFalse(await page.locator("nav.side").isVisible())
        await page.locator("nav.menu summary").click()
        await page.locator("nav.menu").getByText("A job and its result").click()
        const heading = await page.locator("#getJob h3").boundingBox()
        assert.isTrue(heading !== null && heading.y > 0 && heading.y < PHONE.height)
        for (const summary of await page.locator("#getJob .text summary:visible").all()) await summary.click()
        assert.strictEqual(await width(), PHONE.width)
      })
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped))

  it.effect("refuses injected scripts and images", () =>
    Effect.gen(function* () {
      const { baseUrl, call } = yield* given
      const { headers } = yield* call("GET", "/docs")
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-[^']+'; /u)
      assert.notMatch(headers.get("content-security-policy") ?? "", /unsafe|https?:|\*|script/u)
      const { page, problems } = yield* openPage(yield* startBrowser, `${baseUrl}/docs`, WIDE)
      const refused = yield* Effect.promise(() =>
        page.evaluate(() =>
          new Promise<ReadonlyArray<string>>((resolve) => {
            const directives: Array<string> = []
            document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
              if (directives.push(effectiveDirective) === 2) resolve(directives)
            })
            const script = document.createElement("script")
            script.textContent = "document.title = 'taken over'"
            const image = document.createElement("img")
            image.src = "/v2/health"
            document.body.append(script, image)
          })
        )
      )
      assert.sameMembers([...refused], ["script-src-elem", "img-src"])
      assert.strictEqual(yield* Effect.promise(() => page.title()), "SlipTrail API")
      assert.include(problems, `failed: ${baseUrl}/v2/health`)
    }).pipe(Effect.scoped))

  it("is loaded with the first request, not with the service", () => {
    const paths = loadedAtStart()
    assert.include(paths, "infrastructure/http/docs/routes.ts")
    const isLate = (path: string) => /^infrastructure\/http\/(?:docs\/(?!routes)|api\/openapi\/)/u.test(path)
    assert.deepStrictEqual(paths.filter(isLate), [])
  })
})
