import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import type { Lookup } from "../../../infrastructure/egress/resolve.ts"
import { httpsServer, layerLoopback, rawServer } from "../../infrastructure/egress/loopback.ts"
import { eventuallyHolds } from "../../support/eventually.ts"
import { testAuthority } from "../../support/tls.ts"
import { body, firstSecret, givenWorkersWith } from "../processes/given-worker.ts"

/** A worker that sends over real connections in real time, with short patience. */
const given = Effect.fnUntraced(function* (lookup: Lookup = () => Effect.succeed(["127.0.0.1"])) {
  const fixture = yield* givenWorkersWith(Layer.orDie(layerLoopback({ caFile: testAuthority.file, lookup })))
  yield* fixture.start({
    callbackRetries: [Duration.millis(300)],
    callbackTimeoutMillis: 700,
    idleMillis: 20
  })
  return {
    ...fixture,
    /** The events of a callback to that port, up to the given end. */
    storyOf: Effect.fnUntraced(function* (port: number, end: string, path = "/") {
      yield* fixture.end("j-1", body, `https://receiver.test:${port}${path}`)
      yield* eventuallyHolds(Effect.map(fixture.eventTypes("callback-j-1"), (types) => types.at(-1) === end))
      return (yield* fixture.eventTypes("callback-j-1", "attempt", "status", "reason")).filter(([type]) =>
        type !== "CallbackScheduled" && type !== "CallbackSent"
      )
    })
  }
})

/** Writes one character after the other, each as late as it may be, for ever. */
const drip = (socket: Socket, text: string) => {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ""), 100)
  socket.on("close", () => clearInterval(timer))
}

const pour = (response: ServerResponse) => {
  const more = () => {
    while (response.write("x".repeat(1024)));
    response.once("drain", more)
  }
  more()
}

describe("a receiver over TLS", () => {
  it.live("gets the sealed bytes, with signatures that the published library accepts", () =>
    Effect.gen(function* () {
      const server = yield* httpsServer((_, response) => response.writeHead(200).end("ok"))
      const { storyOf } = yield* given()

      assert.deepStrictEqual(yield* storyOf(server.port, "CallbackDelivered", "/hook?token=1"), [
        ["CallbackDelivered", 1, 200, undefined]
      ])

      const [asked] = server.asked
      assert.deepInclude(asked, { method: "POST", url: "/hook?token=1", body })
      const headers = Object.fromEntries(
        Object.entries(asked?.headers ?? {}).map(([name, value]) => [name, String(value)])
      )
      assert.deepStrictEqual(new Webhook(firstSecret).verify(asked?.body ?? "", headers), JSON.parse(body))
      assert.strictEqual(headers["content-length"], String(new TextEncoder().encode(body).length))
    }))

  it.live("rejects the callback with a 404", () =>
    Effect.gen(function* () {
      const { port } = yield* httpsServer((_, response) => response.writeHead(404).end())
      const { storyOf } = yield* given()

      assert.deepStrictEqual(yield* storyOf(port, "CallbackRejected"), [["CallbackRejected", 1, 404, undefined]])
    }))

  it.live("gets the callback with the second attempt after one failure", () =>
    Effect.gen(function* () {
      const server = yield* httpsServer((_, response) =>
        response.writeHead(server.asked.length === 1 ? 500 : 202).end()
      )
      const { storyOf } = yield* given()

      assert.deepStrictEqual(yield* storyOf(server.port, "CallbackDelivered"), [
        ["CallbackAttemptFailed", 1, 500, "the receiver answered 500"],
        ["CallbackDelivered", 2, 202, undefined]
      ])
      assert.deepStrictEqual(server.asked.map((asked) => asked.body), [body, body])
    }))

  it.live("is not followed when it redirects", () =>
    Effect.gen(function* () {
      const elsewhere = yield* httpsServer((_, response) => response.end())
      const { port } = yield* httpsServer((_, response) =>
        response.writeHead(307, { location: `https://receiver.test:${elsewhere.port}/` }).end()
      )
      const { storyOf } = yield* given()

      const [first] = yield* storyOf(port, "CallbackAbandoned")

      assert.deepStrictEqual(first?.slice(0, 3), ["CallbackAttemptFailed", 1, 307])
      assert.isEmpty(elsewhere.asked)
    }))

  const silent = rawServer(() => {})
  const resetting = rawServer((socket) => void socket.once("data", () => socket.resetAndDestroy()))
  const slowHead = httpsServer((_, response) => {
    response.socket?.write("HTTP/1.1 200 OK\r\nx-slow: ")
    if (response.socket !== null) drip(response.socket, "abc")
  })
  const slowBody = httpsServer((_, response) => {
    response.writeHead(200, { "content-length": 10_000 }).flushHeaders()
    if (response.socket !== null) drip(response.socket, "x")
  })
  const stranger = httpsServer((_, response) => response.end(), "stranger")

  it.live.each(
    [
      ["hangs in the handshake", silent, "timeout"],
      ["resets the connection", resetting, "unreachable"],
      ["sends its head a byte at a time", slowHead, "timeout"],
      ["sends its body a byte at a time", slowBody, "timeout"],
      ["has a certificate of a stranger", stranger, "unreachable"]
    ] as const
  )("that %s is given up on in time, and tried again", ([, server, reason]) =>
    Effect.gen(function* () {
      const { port } = yield* server
      const { storyOf } = yield* given()

      const told = yield* storyOf(port, "CallbackAbandoned")

      assert.deepStrictEqual(told.map(([type, attempt, status]) => [type, attempt, status]), [
        ["CallbackAttemptFailed", 1, null],
        ["CallbackAttemptFailed", 2, null],
        ["CallbackAbandoned", undefined, undefined]
      ])
      const reasons = told.slice(0, 2).map(([, , , why]) => typeof why === "string" ? why.split(":")[0] : why)
      assert.deepStrictEqual(reasons, [reason, reason])
    }))

  it.live("has answered when its response body does not end", () =>
    Effect.gen(function* () {
      const { port } = yield* httpsServer((_, response) => pour(response.writeHead(200)))
      const { storyOf } = yield* given()

      assert.deepStrictEqual(yield* storyOf(port, "CallbackDelivered"), [["CallbackDelivered", 1, 200, undefined]])
    }))

  it.live("gets no request when its name resolves to a private address at the second attempt", () =>
    Effect.gen(function* () {
      const server = yield* httpsServer((_, response) => response.writeHead(503).end())
      let looks = 0
      const { storyOf } = yield* given(() => Effect.succeed([looks++ === 0 ? "127.0.0.1" : "10.0.0.1"]))

      const [, second] = yield* storyOf(server.port, "CallbackAbandoned")

      assert.deepStrictEqual(second, [
        "CallbackAttemptFailed",
        2,
        null,
        "not-public: receiver.test resolves to 10.0.0.1, which is not a public address"
      ])
      assert.strictEqual(server.asked.length, 1)
    }))
})
