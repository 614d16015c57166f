import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "../../../../support/it.ts"
import { Effect, Layer, Logger, Stream } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { once } from "node:events"
import { connect } from "node:net"
import { endpoint, layerFallback } from "../../../../../infrastructure/web/http/server/endpoint.ts"
import { makeServer } from "../../../../../infrastructure/web/http/server/make-server.ts"
import { sendFile } from "../../../../../infrastructure/web/http/server/reply.ts"
import { streamedFile } from "../../../../../infrastructure/web/http/server/streamed-file.ts"
import { rawExchange } from "../../../../e2e/raw-http.ts"
import { makeClient } from "../../../../support/client.ts"
import { ApiError } from "../../../../../infrastructure/web/api/failures.ts"

const faults = {
  "/dies": Effect.die(new Error("an internal secret")),
  "/throws": Effect.sync((): never => {
    throw new TypeError("an internal secret")
  }),
  "/fails-twice": Effect.ensuring(
    Effect.fail(new ApiError({ code: "NOT_FOUND" })),
    Effect.die("an internal secret")
  ),
  "/cannot-be-json": Effect.succeed({ data: 1n, message: "an internal secret" })
} as const

let breakOff = () => {}

/** Fails when the test calls `breakOff`. */
const broken = Effect.callback<string, string>((resume) => {
  breakOff = () => resume(Effect.fail("an internal secret"))
})

const routes = Layer.mergeAll(
  endpoint("GET", "/dies", () => faults["/dies"]),
  endpoint("GET", "/throws", () => faults["/throws"]),
  endpoint("GET", "/fails-twice", () => faults["/fails-twice"]),
  endpoint("GET", "/cannot-be-json", () => faults["/cannot-be-json"]),
  endpoint("GET", "/created", () => Effect.succeed({ status: 201, data: { a: 1 }, message: "Made" })),
  endpoint("GET", "/breaks", ({ requestId }) =>
    Effect.map(
      streamedFile("text/plain", Stream.concat(Stream.make("a part"), Stream.fromEffect(broken)), requestId),
      (file) => sendFile(file, { requestId })
    )),
  endpoint("GET", "/refused", () => Effect.fail(new ApiError({ code: "SLIP_PENDING", retryAfterSeconds: 0 })))
)

/** A client of these endpoints over HTTP, and the log lines. */
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
    "that fails unexpectedly returns the request ids only, and logs them with the cause: %s",
    function* (path) {
      const { call, logs } = yield* given
      const answer = yield* call("GET", path, { headers: { "x-request-id": "request-7" } })
      assert.strictEqual(answer.status, 500)
      assert.strictEqual(
        answer.text,
        `{"success":false,"error":{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error"}}`
      )
      const requestId = answer.headers.get("x-request-id") ?? ""
      assert.match(requestId, /^[0-9a-f-]{36}$/u)
      assert.strictEqual(answer.headers.get("x-client-request-id"), "request-7")
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      const log = logs.join("\n")
      assert.include(log, "an internal secret")
      assert.include(log, `"requestId":"${requestId}","clientRequestId":"request-7"`)
    }
  )

  it.live("that returns a value that JSON cannot express fails with 500", function* () {
    const { call } = yield* given
    const answer = yield* call("GET", "/cannot-be-json")
    assert.deepStrictEqual([answer.status, answer.error?.code], [500, "INTERNAL_SERVER_ERROR"])
  })

  it.live("that streams a file breaks off without a last chunk when it fails, and logs the cause", function* () {
    const { baseUrl, logs } = yield* given
    const { closed, text } = yield* Effect.promise(async () => {
      const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1")
      socket.write("GET /breaks HTTP/1.1\r\nHost: a\r\n\r\n")
      let received = ""
      socket.setEncoding("latin1").on("data", (part: string) => {
        received += part
        if (received.includes("a part")) breakOff()
      }).on("error", () => {})
      await once(socket, "close")
      return { closed: socket.destroyed, text: received }
    })
    assert.isTrue(closed)
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/u)
    assert.match(text, /transfer-encoding: chunked/iu)
    assert.match(text, /\r\n6\r\na part\r\n$/u)
    assert.notInclude(text, "secret")
    const [, requestId = ""] = /x-request-id: (\S+)/u.exec(text) ?? []
    const log = logs.join("\n")
    assert.include(log, "an internal secret")
    assert.include(log, `"requestId":"${requestId}"`)
  })

  it.live("wraps its result in the envelope", function* () {
    const { call } = yield* given
    const { status, text } = yield* call("GET", "/created")
    assert.deepStrictEqual([status, text], [201, `{"success":true,"data":{"a":1},"message":"Made"}`])
  })

  it.live("never sends a Retry-After of zero", function* () {
    const { call } = yield* given
    assert.strictEqual((yield* call("GET", "/refused")).headers.get("retry-after"), "1")
  })

  it.live.each([
    "GET /created HTTP/1.1\r\n\r\n",
    "GET /created HTTP/1.1\r\nHost: a\r\nExpect: nonsense\r\n\r\n"
  ])("answers an unusual but valid request: %o", function* (text) {
    const { baseUrl } = yield* given
    const { answers } = yield* rawExchange(baseUrl, text)
    assert.deepStrictEqual([answers[0]?.status, answers[0]?.headers["content-type"]], [201, "application/json"])
  })
})
