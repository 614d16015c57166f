import { assert, layer } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { AdminListener } from "../../infrastructure/runtime/listeners.ts"
import { layerService } from "../../infrastructure/runtime/service.ts"
import { type Client, makeClient, newSlip } from "../support/client.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"

/** A client of the listener on `ADMIN_PORT`. */
class AdminClient extends Context.Service<AdminClient, Client>()("test/AdminClient") {}

const layerBothClients = (env: Readonly<Record<string, string>>) =>
  Layer.effect(
    AdminClient,
    Effect.map(AdminListener, ({ address }) => {
      const port = address !== undefined && "port" in address ? address.port : 0
      return makeClient(`http://127.0.0.1:${port}`, ADMIN_TOKEN)
    })
  ).pipe(Layer.provideMerge(layerRunningService({ ADMIN_PORT: "0", ...env }, layerService)))

/** Spellings that a proxy or a router could take for a management path. */
const managementPaths = [
  "/admin/v1/services",
  "/admin/v1/openapi.json",
  "/ADMIN/v1/services",
  "//admin/v1/services",
  "/%61dmin/v1/services",
  "/v2/../admin/v1/services",
  "/v2/%2e%2e/admin/v1/services",
  "/admin/v1/services?x=1",
  "/console",
  "/console/login",
  "/Console/login",
  "/console;x/login",
  "/metrics",
  "/metrics/",
  "/METRICS"
]

layer.live(layerBothClients({ ROLES: "http,projector" }))("a service with ADMIN_PORT", (it) => {
  it.effect("serves admin API, console and metrics on that port only", function* () {
    const { call } = yield* RunningService
    const admin = yield* AdminClient
    assert.notStrictEqual(admin.baseUrl, (yield* RunningService).baseUrl)
    for (const path of managementPaths) {
      assertFailure(yield* call("GET", path, { key: ADMIN_TOKEN }), 404, "NOT_FOUND", "Resource not found")
    }
    assertFailure(
      yield* call("POST", "/console/login", { body: "token=x" }),
      404,
      "NOT_FOUND",
      "Resource not found"
    )
    for (const path of ["/admin/v1/services", "/admin/v1/openapi.json", "/console/login", "/metrics"]) {
      assert.strictEqual((yield* admin.call("GET", path, { key: ADMIN_TOKEN })).status, 200, path)
    }
  })

  it.effect("serves the API on the public port only, and health on both", function* () {
    const { call, verify } = yield* RunningService
    const admin = yield* AdminClient
    const { mainBranch } = yield* admin.createService()
    const { payload } = newSlip()
    assert.strictEqual((yield* verify(mainBranch.apiKey, payload)).status, 200)
    assertFailure(yield* admin.verify(mainBranch.apiKey, payload), 404, "NOT_FOUND", "Resource not found")
    for (const path of ["/v2/health", "/docs", "/openapi.json"]) {
      assert.strictEqual((yield* call("GET", path)).status, 200, path)
      assert.strictEqual((yield* admin.call("GET", path)).status, 404, path)
    }
    assert.strictEqual((yield* admin.call("GET", "/admin/v1/docs")).status, 200)
    assert.strictEqual((yield* call("GET", "/admin/v1/docs")).status, 404)
    for (const path of ["/health/live", "/health/ready"]) {
      for (const client of [call, admin.call]) assert.strictEqual((yield* client("GET", path)).status, 200, path)
    }
  })

  it.effect("makes sign-in links to the public port", function* () {
    const { baseUrl } = yield* RunningService
    const admin = yield* AdminClient
    const { mainBranch } = yield* admin.createService()
    const body = { name: "Till 1", scopes: ["verify"] }
    const path = `/branches/${mainBranch.id}/sign-in-links`
    const { data } = yield* admin.admin<{ readonly link: string }>("POST", path, body)
    assert.match(data.link, new RegExp(`^${baseUrl}/app/link/`, "u"))
  })
})

layer.live(layerBothClients({ ROLES: "http,projector", ADMIN_TOKEN: "" }))(
  "a service with ADMIN_PORT and without ADMIN_TOKEN",
  (it) => {
    it.effect("has admin API and console there only, and accepts no token without an operator", function* () {
      const { call } = yield* AdminClient
      assert.strictEqual((yield* call("GET", "/metrics")).status, 200)
      assert.strictEqual((yield* call("GET", "/console/login")).status, 200)
      assert.strictEqual((yield* call("GET", "/admin/v1/services")).status, 401)
      assert.strictEqual((yield* call("GET", "/admin/v1/services", { key: ADMIN_TOKEN })).status, 401)
      const { call: callPublic } = yield* RunningService
      for (const path of ["/console/login", "/admin/v1/services", "/metrics"]) {
        assert.strictEqual((yield* callPublic("GET", path)).status, 404, path)
      }
    })
  }
)
