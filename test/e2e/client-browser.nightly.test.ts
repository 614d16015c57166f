import { assert, layer } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import { createViteServer } from "vitest/node"
import { openPage, startBrowser } from "../support/browser.ts"
import { newSlip } from "../support/client.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"

const folder = fileURLToPath(new URL("../../sdk/", import.meta.url))

/** A shop's website. Its bundler turns the client into JavaScript. Its server forwards `/v2` to a service, if given. */
const startSite = (service?: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = await createViteServer({
        configFile: false,
        root: folder,
        appType: "custom",
        logLevel: "silent",
        optimizeDeps: { noDiscovery: true },
        server: {
          host: "127.0.0.1",
          port: 0,
          hmr: false,
          ws: false,
          watch: null,
          ...(service === undefined ? {} : { proxy: { "/v2": service } })
        }
      })
      await server.listen()
      const address = server.httpServer?.address()
      return { server, url: typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "" }
    }),
    ({ server }) => Effect.promise(() => server.close())
  )

layer.live(layerRunningService({ ROLES: "http,projector" }))("in a browser", (it) => {
  it.effect("the client verifies a slip, reports a duplicate, and throws errors with their code", function* () {
    const { baseUrl, createService } = yield* RunningService
    const { mainBranch: { apiKey } } = yield* createService()
    const { url } = yield* startSite(baseUrl)
    const { page } = yield* openPage(yield* startBrowser, `${url}/client/sliptrail.ts`, { width: 800, height: 600 })
    const input = JSON.stringify({ apiKey, payload: newSlip().payload })
    // A string, because the transformed imports of this test would not work in the page.
    const results = yield* Effect.promise(() =>
      page.evaluate(`(async ({ apiKey, payload }) => {
          const { makeSlipTrail, SlipTrailError } = await import("/client/sliptrail.ts")
          const client = makeSlipTrail({ baseUrl: location.origin, apiKey })
          const first = await client.verify({ payload })
          const second = await client.verify({ payload })
          const error = await client.verify({ image: new Blob(["no picture"]) }).catch((error) => error)
          return [first.isDuplicate, second.isDuplicate, error instanceof SlipTrailError && error.code]
        })(${input})`)
    )
    assert.deepStrictEqual(results, [false, true, "INVALID_IMAGE_FORMAT"])
  })
})

/** Two websites on origins of their own. The service knows the first one only. */
class Sites
  extends Context.Service<Sites, { readonly listed: string; readonly other: string; readonly browser: Browser }>()(
    "test/Sites"
  ) {}

const layerSites = Layer.unwrap(Effect.gen(function* () {
  const sites = Sites.of({
    listed: (yield* startSite()).url,
    other: (yield* startSite()).url,
    browser: yield* startBrowser
  })
  const settings = { CORS_ORIGINS: sites.listed, RATE_LIMIT: "1", RATE_LIMIT_BURST: "20" }
  return Layer.merge(layerRunningService(settings), Layer.succeed(Sites, sites))
}))

/** Runs the body of an asynchronous function in a page of this site. Its argument is `given`. */
const inPage = Effect.fnUntraced(function* (site: string, given: object, body: string) {
  const { page } = yield* openPage((yield* Sites).browser, `${site}/client/sliptrail.ts`, { width: 800, height: 600 })
  return yield* Effect.promise(() => page.evaluate<unknown>(`(async (given) => { ${body} })(${JSON.stringify(given)})`))
})

layer.live(layerSites)("in a browser, from another origin", (it) => {
  it.effect("the client verifies slips for a listed page, which can read failures and their headers", function* () {
    const { baseUrl, createService } = yield* RunningService
    const { mainBranch: { apiKey } } = yield* createService()
    const given = { apiKey, baseUrl, payload: newSlip().payload, wrongKey: "0f8fad5b-d9cb-4f69-a165-70867728950e" }
    const results = yield* inPage(
      (yield* Sites).listed,
      given,
      `const { makeSlipTrail } = await import("/client/sliptrail.ts")
        const client = makeSlipTrail(given)
        const codeOf = (promise) => promise.then(() => "none", (error) => error.code)
        const call = async (path, key, body, headers = {}) => {
          const answer = await fetch(given.baseUrl + path, {
            method: body === undefined ? "GET" : "POST",
            headers: { authorization: "Bearer " + key, "x-request-id": "order-42", ...headers },
            ...(body === undefined ? {} : { body })
          })
          const text = await answer.text()
          return { status: answer.status, code: JSON.parse(text).error?.code, headers: answer.headers }
        }
        const first = await client.verify({ payload: given.payload }, { idempotencyKey: "order-42" })
        const again = await call("/v2/verify/bank", given.apiKey, JSON.stringify({ payload: given.payload }), {
          "content-type": "application/json",
          "idempotency-key": "order-42"
        })
        const form = new URLSearchParams({ payload: given.payload, matchAmount: "100.00" })
        const { status: ofForm } = await call("/v2/verify/bank", given.apiKey, form)
        const listed = await client.bankAccounts.list({ isActive: true })
        const image = await codeOf(client.verify({ image: new Blob(["no picture"]) }))
        const tooLarge = await call("/v2/verify/bank", given.apiKey, "a".repeat(7_000_000), { "content-type": "application/json" })
        const wrongKey = await call("/v2/info", given.wrongKey)
        const unknown = await call("/v2/nothing", given.apiKey)
        const all = await Promise.all(Array.from({ length: 60 }, () => call("/v1/me", given.apiKey)))
        const limited = all.find(({ status }) => status === 429)
        const names = ["retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-sandbox",
          "x-request-id", "x-client-request-id"]
        return {
          isDuplicate: first.isDuplicate,
          isReplayed: again.headers.get("idempotent-replayed"),
          ofForm,
          accounts: listed.items.length,
          codes: [image, tooLarge.code, wrongKey.code, unknown.code],
          readable: names.filter((name) => limited.headers.has(name)).length,
          clientRequestId: unknown.headers.get("x-client-request-id")
        }`
    )
    assert.deepStrictEqual(results, {
      isDuplicate: false,
      isReplayed: "true",
      ofForm: 200,
      accounts: 0,
      codes: ["INVALID_IMAGE_FORMAT", "IMAGE_SIZE_TOO_LARGE", "INVALID_API_KEY", "NOT_FOUND"],
      readable: 7,
      clientRequestId: "order-42"
    })
  })

  it.effect("a page that is not listed reads nothing, and a listed one nothing of operators", function* () {
    const { baseUrl, createService } = yield* RunningService
    const { mainBranch: { apiKey } } = yield* createService()
    const { listed, other } = yield* Sites
    const outcomes = `const read = ([path, key]) =>
        fetch(given.baseUrl + path, key === "" ? {} : { headers: { authorization: "Bearer " + key } })
          .then(({ status }) => status, (error) => error.name)
      return Promise.all(given.requests.map(read))`
    const paths = [["/v2/info", apiKey], ["/v2/health", ""], ["/v1/me", apiKey], ["/v2/nothing", ""]]
    const refused = ["TypeError", "TypeError", "TypeError", "TypeError"]
    assert.deepStrictEqual(yield* inPage(other, { baseUrl, requests: paths }, outcomes), refused)
    assert.deepStrictEqual(yield* inPage(listed, { baseUrl, requests: paths }, outcomes), [200, 200, 200, 404])
    const operators = [["/admin/v1/services", ADMIN_TOKEN], ["/admin/v1/openapi.json", ""], ["/console", ""], [
      "/metrics",
      ""
    ]]
    assert.deepStrictEqual(yield* inPage(listed, { baseUrl, requests: operators }, outcomes), refused)
  })
})
