import { assert, layer } from "../support/it.ts"
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { readFileSync } from "node:fs"
import { layerStandstill } from "../../infrastructure/web/http/server/health.ts"
import { routes } from "../../infrastructure/runtime/listeners.ts"
import { readSettings } from "../../infrastructure/platform/settings/settings.ts"
import { declared } from "../support/declared-api.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"

/** Every route that the service adds to its router. */
const addedRoutes = Effect.gen(function* () {
  const found: Array<string> = []
  const router = yield* HttpRouter.make
  const add: HttpRouter.HttpRouter["add"] = (method, path, ...more) => {
    found.push(`${method} ${path}`)
    return router.add(method, path, ...more)
  }
  const { dataDir } = yield* RunningService
  const settings = yield* readSettings.parse(ConfigProvider.fromEnvRecord({ DATA_DIR: dataDir, ADMIN_TOKEN }))
  const recording = Layer.succeed(HttpRouter.HttpRouter, HttpRouter.HttpRouter.of({ ...router, add }))
  yield* Layer.build(Layer.provide(routes(settings), Layer.merge(recording, layerStandstill)))
  return found
})

/** Every route of docs/admin-api.md. */
const documentedAdminRoutes = (): ReadonlyArray<string> => {
  const page = readFileSync(new URL("../../docs/admin-api.md", import.meta.url), "utf8")
  return Array.from(
    page.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[\w/:.*-]+)`/gu),
    ([, method, path]) => `${method} /admin/v1${path}`
  )
}

/** Whether a route belongs to v1 or v2, not to operators, monitoring or documentation. */
const isVersioned = (route: string): boolean => /^[A-Z*]+ \/(v\d+|api)(\/|$)/u.test(route)

layer.live(layerRunningService())("the API's declaration", (it) => {
  it.effect("has exactly the v1 and v2 routes of the service", function* () {
    const found = (yield* addedRoutes).filter(isVersioned)
    assert.sameMembers(found, declared.map(({ method, path }) => `${method} ${path}`))
  })

  it.effect("leaves out the admin API, whose routes docs/admin-api.md lists exactly", function* () {
    const found = (yield* addedRoutes).filter((route) => route.includes(" /admin/v1/"))
    assert.sameMembers(found, [...documentedAdminRoutes()])
  })

  it.effect("declares only operations that the router knows", function* () {
    const { call, createService } = yield* RunningService
    const { mainBranch } = yield* createService()
    for (const { method, name, path } of declared) {
      const answer = yield* call(method, path.replaceAll(/:\w+/gu, "1"), { key: mainBranch.apiKey })
      assert.notMatch(answer.text, /"(code|message)":"not_found"/iu, name)
    }
  })
})
