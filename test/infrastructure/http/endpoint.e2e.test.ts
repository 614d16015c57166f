import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { endpoint, layerFallback } from "../../../infrastructure/http/endpoint.ts"
import { makeServer } from "../../../infrastructure/http/make-server.ts"
import { rawExchange } from "../../e2e/raw-http.ts"
import { makeClient } from "../../support/client.ts"
import { ApiError } from "../../../infrastructure/http/api/failures.ts"

const faults = {
  "/dies": Effect.die(new Error("the secret of the house")),
  "/throws": Effect.sync((): never => {
    throw new TypeError("the secret of the house")
  }),
  "/fails-twice": Effect.ensuring(
    Effect.fail(new ApiError({ code: "NOT_FOUND" })),
    Effect.die("the secret of the house")
  ),
  "/cannot-be-json": Effect.succeed({ data: 1n, message: "the secret of the house" })
} as const

const routes = Layer.mergeAll(
  endpoint("GET", "/dies", () => faults["/dies"]),
  endpoint("GET", "/throws", () => faults["/throws"]),
  endpoint("GET", "/fails-twice", () => faults["/fails-twice"]),
  endpoint("GET", "/cannot-be-json", () => faults["/cannot-be-json"]),
  endpoint("GET", "/created", () => Effect.succeed({ status: 201, data: { a: 1 }, message: "Made" })),
  endpoint("GET", "/refused", () => Effect.fail(new ApiError({ code: "SLIP_PENDING", retryAfterSeconds: 0 })))
)

/** Answers of these endpoints over HTTP, and the log. */
const given = Effect.gen(function* () {
  const logs: Array<string> = []
  const server = HttpRouter.serve(routes.pipe(Layer.provideMerge(layerFallback([]))), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(makeServer, { host: "127.0.0.1", port: 0 })),
    Layer.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
  )
  const context = yield* Layer.build(server)
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
  return { logs, ...makeClient(`http://127.0.0.1:${"port" in address ? address.port : 0}`, "") }
})

describe("an endpoint", () => {
  it.live.each(["/dies", "/throws", "/fails-twice"])(
    "that fails unexpectedly returns the request id only, and logs the cause: %s",
    (path) =>
      Effect.gen(function* () {
        const { call, logs } = yield* given
        const answer = yield* call("GET", path, { headers: { "x-request-id": "request-7" } })
        assert.strictEqual(answer.status, 500)
        assert.strictEqual(
          answer.text,
          `{"success":false,"error":{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error"}}`
        )
        assert.strictEqual(answer.headers.get("x-request-id"), "request-7")
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        const log = logs.join("\n")
        assert.include(log, "the secret of the house")
        assert.include(log, "request-7")
      })
  )

  it.live("that gives what is no JSON is a defect like any other", () =>
    Effect.gen(function* () {
      const { call } = yield* given
      const answer = yield* call("GET", "/cannot-be-json")
      assert.deepStrictEqual([answer.status, answer.error?.code], [500, "INTERNAL_SERVER_ERROR"])
    }))

  it.live("puts the envelope around what it gives", () =>
    Effect.gen(function* () {
      const { call } = yield* given
      const { status, text } = yield* call("GET", "/created")
      assert.deepStrictEqual([status, text], [201, `{"success":true,"data":{"a":1},"message":"Made"}`])
    }))

  it.live("never asks to try again in no time", () =>
    Effect.gen(function* () {
      const { call } = yield* given
      assert.strictEqual((yield* call("GET", "/refused")).headers.get("retry-after"), "1")
    }))

  it.live.each([
    "GET /created HTTP/1.1\r\n\r\n",
    "GET /created HTTP/1.1\r\nHost: a\r\nExpect: nonsense\r\n\r\n"
  ])("answers what is odd and can be read: %o", (text) =>
    Effect.gen(function* () {
      const { baseUrl } = yield* given
      const { answers } = yield* rawExchange(baseUrl, text)
      assert.deepStrictEqual([answers[0]?.status, answers[0]?.headers["content-type"]], [201, "application/json"])
    }))
})
