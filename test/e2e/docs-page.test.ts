import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import type { Document, OperationObject, PathItem } from "../../infrastructure/web/api/openapi/document-types.ts"
import { loadedAtStart } from "../support/loaded-with.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"

const env = { ROLES: "http,projector" }

const given = Effect.gen(function* () {
  const service = yield* RunningService
  const { headers, status, text } = yield* service.call("GET", "/openapi.json")
  assert.strictEqual(status, 200)
  const document: Document = JSON.parse(text)
  return { ...service, document, headers }
})

const operationsOf = (item: PathItem): ReadonlyArray<OperationObject> =>
  Object.values(item).filter((one): one is OperationObject => "operationId" in one)

const attributes = (html: string, name: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(new RegExp(` ${name}="([^"]*)"`, "gu")), ([, value = ""]) => value)

/** All pages that links lead to from `start`, by path. */
const crawl = Effect.fnUntraced(function* (start: string) {
  const { baseUrl } = yield* RunningService
  const pages = new Map<string, string>()
  const open = [start]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue
    const html = yield* Effect.promise(async () => {
      const response = await fetch(baseUrl + path)
      assert.strictEqual(response.status, 200, path)
      return response.text()
    })
    pages.set(path, html)
    const links = attributes(html, "href").map((href) => href.split("#")[0] ?? "")
    open.push(
      ...links.filter((link) => link === start || link.startsWith(`${start}/`)).filter((link) =>
        !link.includes("/assets/")
      )
    )
  }
  return pages
})

layer.live(layerRunningService(env))("the API documentation", (it) => {
  it.effect("is an OpenAPI document at /openapi.json, without a key", function* () {
    const { call, document, headers } = yield* given
    assert.strictEqual(headers.get("content-type"), "application/json")
    assert.strictEqual(headers.get("cache-control"), "no-cache")
    assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/u)
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    assert.deepStrictEqual([document.openapi, document.info.version], ["3.1.1", manifest.version])
    assertFailure(yield* call("POST", "/openapi.json", { body: {} }), 404, "NOT_FOUND", "Resource not found")
  })

  for (const start of ["/docs", "/admin/v1/docs"]) {
    it.effect(`has no link without a page and no anchor without a target below ${start}`, function* () {
      const pages = yield* crawl(start)
      assert.isAtLeast(pages.size, 10)
      for (const [path, html] of pages) {
        const ids = attributes(html, "id")
        assert.strictEqual(new Set(ids).size, ids.length, `${path} repeats an id`)
        for (const href of attributes(html, "href")) {
          const [target = "", anchor] = href.split("#")
          if (anchor === undefined || /^https?:/u.test(href)) continue
          const page = pages.get(target === "" ? path : target) ?? assert.fail(`${path} links to ${href}`)
          assert.include(attributes(page, "id"), anchor, `${path} links to ${href}`)
        }
      }
    })
  }

  it.effect("has every operation, path and code, with samples in four languages", function* () {
    const { document } = yield* given
    const pages = yield* crawl("/docs")
    const start = pages.get("/docs") ?? ""
    for (const [path, item] of Object.entries(document.paths)) {
      for (const { operationId } of operationsOf(item)) {
        // A link to the reference of earlier versions, which was one page.
        const [, link = ""] = new RegExp(`<li id="${operationId}" data-moved><a href="([^"]+)"`, "u").exec(start)
          ?? []
        const [target = "", anchor = ""] = link.split("#")
        assert.strictEqual(anchor, operationId)
        const [, section = ""] = pages.get(target)?.split(`<section class="operation" id="${operationId}"`) ?? []
        const [text = ""] = section.split("</section>")
        assert.include(text, `<code>${path}</code>`)
        for (const language of ["curl", "typescript", "php", "python"]) {
          assert.include(text, `<figure class="block panel ${language}">`, `${operationId} in ${language}`)
        }
      }
    }
    const codes = new Set(
      JSON.stringify(document).match(/"error":\{"code":"[A-Z_]+"/gu)?.map((code) => code.slice(17, -1))
    )
    assert.isAtLeast(codes.size, 25)
    for (const code of codes) assert.include(pages.get("/docs/errors") ?? "", `id="${code}"`)
  })

  it.effect("finds words without a script, and shows a hostile query as text", function* () {
    const { baseUrl } = yield* given
    const ask = (query: string, more = "") =>
      Effect.promise(async () => {
        const response = await fetch(`${baseUrl}/docs/search?q=${encodeURIComponent(query)}${more}`)
        return { status: response.status, html: await response.text() }
      })
    const thai = (yield* ask("slip pending", "&language=th")).html
    assert.include(thai, '<html lang="th">')
    assert.match(thai, /พบ \d+ รายการสำหรับ “slip pending”|\d+ รายการที่ตรงที่สุดสำหรับ “slip pending”/u)
    assert.include((yield* ask("slip pending", "&language=xx")).html, '<html lang="en">')
    const found = yield* ask("slip pending")
    assert.match(found.html, /<ol class="results" lang="en"><li><a href="\/docs\/errors#SLIP_PENDING">/u)
    for (
      const query of [`"><script>alert(1)</script>`, "'\"<img src=x onerror=alert(1)>", "\u202e\u0000%00", "%", ""]
    ) {
      const { html, status } = yield* ask(query)
      assert.strictEqual(status, 200)
      // The box shows the query as it was typed.
      assert.notMatch(html.replace(/<form [^]*<\/form>/u, ""), /<script>|<img|\u202e/u)
      assert.notMatch(html, /<script>|<img/u)
    }
    const long = yield* ask("a".repeat(5_000))
    assert.strictEqual(long.status, 200)
    assert.notInclude(long.html, "a".repeat(101))
  })

  it.effect("answers an unknown page with a page, and other methods with an error", function* () {
    const { baseUrl } = yield* given
    yield* Effect.promise(async () => {
      for (const path of ["/docs/nothing", "/docs/assets/0000000000000000/docs.js", "/docs/..%2f..%2fpackage.json"]) {
        const response = await fetch(baseUrl + path)
        assert.strictEqual(response.status, 404, path)
        assert.include(await response.text(), "Page not found", path)
      }
      assert.strictEqual((await fetch(`${baseUrl}/docs`, { method: "POST", body: "x" })).status, 404)
    })
  })

  it.effect("compresses for clients that accept it, and confirms an unchanged page without its body", function* () {
    const { baseUrl } = yield* given
    const get = (headers: Readonly<Record<string, string>>) =>
      Effect.promise(() => fetch(`${baseUrl}/docs/spec/http`, { headers }))
    const zipped = yield* get({ "accept-encoding": "br;q=0, gzip" })
    const smaller = yield* get({ "accept-encoding": "gzip, br" })
    const plain = yield* get({ "accept-encoding": "identity, gzip;q=0" })
    assert.strictEqual(zipped.headers.get("content-encoding"), "gzip")
    assert.strictEqual(smaller.headers.get("content-encoding"), "br")
    assert.isNull(plain.headers.get("content-encoding"))
    assert.strictEqual(plain.headers.get("vary"), "accept-encoding")
    assert.isAbove(Number(plain.headers.get("content-length")), 3 * Number(zipped.headers.get("content-length")))
    const text = yield* Effect.promise(() => zipped.text())
    assert.strictEqual(text, yield* Effect.promise(() => plain.text()))
    const unchanged = yield* get({ "if-none-match": plain.headers.get("etag") ?? "" })
    assert.deepStrictEqual([unchanged.status, yield* Effect.promise(() => unchanged.text())], [304, ""])
  })

  it("is loaded with the first request, not with the service", () => {
    const paths = loadedAtStart()
    assert.include(paths, "infrastructure/web/docs/routes.ts")
    const isLate = (path: string) => /^infrastructure\/http\/(?:docs\/(?!routes)|api\/openapi\/)/u.test(path)
    assert.deepStrictEqual(paths.filter(isLate), [])
  })
})
