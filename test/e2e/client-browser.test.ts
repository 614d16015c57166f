import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { createViteServer } from "vitest/node"
import { openPage, startBrowser } from "../support/browser.ts"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

const folder = fileURLToPath(new URL("../../sdk/", import.meta.url))

/** A shop's website. Its bundler turns the client into JavaScript, its server forwards `/v2` to the service. */
const startSite = (service: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = await createViteServer({
        configFile: false,
        root: folder,
        appType: "custom",
        logLevel: "silent",
        optimizeDeps: { noDiscovery: true },
        server: { host: "127.0.0.1", port: 0, hmr: false, ws: false, watch: null, proxy: { "/v2": service } }
      })
      await server.listen()
      const address = server.httpServer?.address()
      return { server, url: typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "" }
    }),
    ({ server }) => Effect.promise(() => server.close())
  )

layer(layerRunningService({ ROLES: "http,projector" }), { excludeTestServices: true })("in a browser", (it) => {
  it.effect("the client verifies a slip, reports a duplicate, and throws errors with their code", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.scoped))
})
