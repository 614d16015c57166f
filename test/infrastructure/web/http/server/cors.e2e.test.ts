import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Layer, Logger } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { ApiError } from "../../../../../infrastructure/web/api/failures.ts"
import { layerCors } from "../../../../../infrastructure/web/http/server/cors.ts"
import { endpoint, layerFallback } from "../../../../../infrastructure/web/http/server/endpoint.ts"
import { makeServer } from "../../../../../infrastructure/web/http/server/make-server.ts"
import { makeClient } from "../../../../support/client.ts"

const SHOP = "https://shop.example"

const routes = Layer.mergeAll(
  endpoint("GET", "/v2/dies", () => Effect.die(new Error("an internal secret"))),
  endpoint("GET", "/v2/cannot-be-json", () => Effect.succeed({ data: 1n, message: "" })),
  endpoint(
    "GET",
    "/v2/overloaded",
    () => Effect.fail(new ApiError({ code: "API_SERVER_ERROR", isOverload: true, retryAfterSeconds: 1 }))
  ),
  endpoint("GET", "/v2/closes", ({ answerHeaders }) => {
    answerHeaders["connection"] = "close"
    return Effect.fail(new ApiError({ code: "VALIDATION_ERROR", issues: [] }))
  }),
  endpoint("GET", "/admin/v1/dies", () => Effect.die(new Error("an internal secret")))
)

const given = Effect.gen(function* () {
  const cors = layerCors(new Set([SHOP]))
  const server = HttpRouter.serve(routes.pipe(Layer.provideMerge(layerFallback([])), Layer.provideMerge(cors)), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(makeServer, { host: "127.0.0.1", port: 0 })),
    Layer.provide(Logger.layer([]))
  )
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, yield* Layer.build(server))
  return makeClient(`http://127.0.0.1:${"port" in address ? address.port : 0}`, "")
})

describe("CORS", () => {
  it.live.each(
    [
      ["/v2/dies", 500],
      ["/v2/cannot-be-json", 500],
      ["/v2/overloaded", 503],
      ["/v2/closes", 400],
      ["/v2/nothing", 404]
    ] as const
  )("lets a page read %s, which answers %d", function* ([path, status]) {
    const { call } = yield* given
    const answer = yield* call("GET", path, { headers: { origin: SHOP } })
    assert.strictEqual(answer.status, status)
    assert.strictEqual(answer.headers.get("access-control-allow-origin"), SHOP)
    assert.match(answer.headers.get("access-control-expose-headers") ?? "", /Retry-After/u)
    assert.strictEqual(answer.headers.get("vary"), "Origin")
    assert.notInclude(answer.text, "secret")
  })

  it.live("lets no page read a defect of an operators' path", function* () {
    const { call } = yield* given
    const { headers, status } = yield* call("GET", "/admin/v1/dies", { headers: { origin: SHOP } })
    assert.deepStrictEqual([status, headers.get("access-control-allow-origin"), headers.get("vary")], [
      500,
      null,
      null
    ])
  })
})
