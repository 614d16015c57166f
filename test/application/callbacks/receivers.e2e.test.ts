import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { assert, describe, it } from "../../support/it.ts"
import { Duration, Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import type { Lookup } from "../../../infrastructure/adapters/egress/dns.ts"
import { httpsServer, layerLoopback, rawServer } from "../../infrastructure/adapters/egress/loopback.ts"
import { eventually } from "../../support/eventually.ts"
import { testAuthority } from "../../support/tls.ts"
import { body, firstSecret, givenWorkersWith } from "../processes/given-worker.ts"

/** Longer than a test: name, handshake and answer take as long as the machine needs. */
const NEVER = 600_000
/** For a receiver that must exceed the limit. */
const SHORT = 700
/** For a receiver that must answer its status, and then exceed the limit. */
const LONG_ENOUGH = 5_000

/** A worker that sends over real connections in real time, with short pauses between attempts. */
const given = Effect.fnUntraced(function* (
  { callbackTimeoutMillis = NEVER, lookup = () => Effect.succeed(["127.0.0.1"]) }: {
    readonly callbackTimeoutMillis?: number
    readonly lookup?: Lookup
  } = {}
) {
  const fixture = yield* givenWorkersWith(Layer.orDie(layerLoopback({ caFile: testAuthority.file, lookup })))
  yield* fixture.start({
    callbackRetries: [Duration.millis(300)],
    callbackTimeoutMillis,
    idleMillis: 20
  })
  return {
    ...fixture,
    /** The outcomes of a callback to the port, from its events up to the given last one. */
    outcomesOf: Effect.fnUntraced(function* (port: number, end: string, path = "/") {
      yield* fixture.end("j-1", body, `https://receiver.test:${port}${path}`)
      // When it does not end, the failure shows the events up to then.
      yield* eventually(fixture.eventTypes("callback-j-1"), (types) => types.at(-1) === end)
      return (yield* fixture.eventTypes("callback-j-1", "attempt", "status", "reason")).filter(([type]) =>
        type !== "CallbackScheduled" && type !== "CallbackSent"
      )
    })
  }
})

/** Writes one character every 100 ms without end. */
const drip = (socket: Socket, text: string) => {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ""), 100)
  socket.on("close", () => clearInterval(timer))
}

/** Writes the response body without end. */
const writeForever = (response: ServerResponse) => {
  const more = () => {
    while (response.write("x".repeat(1024)));
    response.once("drain", more)
  }
  more()
}

describe("a receiver over TLS", () => {
  it.live("gets the sealed bytes, with signatures that the published library accepts", function* () {
    const server = yield* httpsServer((_, response) => response.writeHead(200).end("ok"))
    const { outcomesOf } = yield* given()

    assert.deepStrictEqual(yield* outcomesOf(server.port, "CallbackDelivered", "/hook?token=1"), [
      ["CallbackDelivered", 1, 200, undefined]
    ])

    const [received] = server.requests
    assert.deepInclude(received, { method: "POST", url: "/hook?token=1", body })
    const headers = Object.fromEntries(
      Object.entries(received?.headers ?? {}).map(([name, value]) => [name, String(value)])
    )
    assert.deepStrictEqual(new Webhook(firstSecret).verify(received?.body ?? "", headers), JSON.parse(body))
    assert.strictEqual(headers["content-length"], String(new TextEncoder().encode(body).length))
  })

  it.live("rejects the callback with a 404", function* () {
    const { port } = yield* httpsServer((_, response) => response.writeHead(404).end())
    const { outcomesOf } = yield* given()

    assert.deepStrictEqual(yield* outcomesOf(port, "CallbackRejected"), [["CallbackRejected", 1, 404, undefined]])
  })

  it.live("gets the callback with the second attempt after one failure", function* () {
    const server = yield* httpsServer((_, response) =>
      response.writeHead(server.requests.length === 1 ? 500 : 202).end()
    )
    const { outcomesOf } = yield* given()

    assert.deepStrictEqual(yield* outcomesOf(server.port, "CallbackDelivered"), [
      ["CallbackAttemptFailed", 1, 500, "the receiver answered 500"],
      ["CallbackDelivered", 2, 202, undefined]
    ])
    assert.deepStrictEqual(server.requests.map((request) => request.body), [body, body])
  })

  it.live("gets no second request when it redirects", function* () {
    const redirectTarget = yield* httpsServer((_, response) => response.end())
    const { port } = yield* httpsServer((_, response) =>
      response.writeHead(307, { location: `https://receiver.test:${redirectTarget.port}/` }).end()
    )
    const { outcomesOf } = yield* given()

    const [first] = yield* outcomesOf(port, "CallbackAbandoned")

    assert.deepStrictEqual(first?.slice(0, 3), ["CallbackAttemptFailed", 1, 307])
    assert.isEmpty(redirectTarget.requests)
  })

  const silent = rawServer(() => {})
  const resetting = rawServer((socket) => void socket.once("data", () => socket.resetAndDestroy()))
  const slowStatus = httpsServer((_, response) => {
    response.socket?.write("HTTP/1.1 2")
    if (response.socket !== null) drip(response.socket, "0")
  })
  const untrusted = httpsServer((_, response) => response.end(), "stranger")

  it.live.each(
    [
      ["hangs in the handshake", silent, SHORT, "timeout"],
      ["resets the connection", resetting, NEVER, "unreachable"],
      ["never ends its status", slowStatus, SHORT, "timeout"],
      ["has a certificate of an unknown authority", untrusted, NEVER, "unreachable"]
    ] as const
  )("that %s times out or fails, and is tried again", function* ([, server, callbackTimeoutMillis, reason]) {
    const { port } = yield* server
    const { outcomesOf } = yield* given({ callbackTimeoutMillis })

    const outcomes = yield* outcomesOf(port, "CallbackAbandoned")

    assert.deepStrictEqual(outcomes.map(([type, attempt, status]) => [type, attempt, status]), [
      ["CallbackAttemptFailed", 1, null],
      ["CallbackAttemptFailed", 2, null],
      ["CallbackAbandoned", undefined, undefined]
    ])
    const reasons = outcomes.slice(0, 2).map(([, , , text]) => typeof text === "string" ? text.split(":")[0] : text)
    assert.deepStrictEqual(reasons, [reason, reason])
  })

  /** A server that writes the bytes after a request, and then goes on or not. */
  const writing = (bytes: string, then: (socket: Socket) => void = () => {}) =>
    httpsServer((_, { socket }) => {
      socket?.write(bytes)
      if (socket !== null) then(socket)
    })
  const end = (socket: Socket) => void socket.end()
  const dripBody = (socket: Socket) => drip(socket, "x")

  it.live.each(
    [
      ["200 and a body that never ends", 200, LONG_ENOUGH, writing("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")],
      ["200 and a head by the byte", 200, LONG_ENOUGH, writing("HTTP/1.1 200 OK\r\nX-A: ", dripBody)],
      [
        "202 and a body by the byte",
        202,
        LONG_ENOUGH,
        writing("HTTP/1.1 202 A\r\nContent-Length: 9999\r\n\r\n", dripBody)
      ],
      ["200 and a cut body", 200, NEVER, writing("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", end)],
      ["200 and a bad chunk", 200, NEVER, writing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n")],
      ["204 and 200 KB of cookies", 204, NEVER, writing(`HTTP/1.1 204 N\r\nSet-Cookie: ${"a".repeat(200_000)}`)]
    ] as const
  )("that answers %s has the callback", function* ([, status, callbackTimeoutMillis, server]) {
    const { port } = yield* server
    const { outcomesOf } = yield* given({ callbackTimeoutMillis })

    assert.deepStrictEqual(yield* outcomesOf(port, "CallbackDelivered"), [
      ["CallbackDelivered", 1, status, undefined]
    ])
  })

  it.live("that answers 404 and a cut body rejects the callback", function* () {
    const { port } = yield* writing("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nab", end)
    const { outcomesOf } = yield* given()

    assert.deepStrictEqual(yield* outcomesOf(port, "CallbackRejected"), [["CallbackRejected", 1, 404, undefined]])
  })

  it.live("that answers 500 and a cut body has its status in the log", function* () {
    const { port } = yield* writing("HTTP/1.1 500 Oops\r\n", end)
    const { outcomesOf } = yield* given()

    assert.deepStrictEqual(yield* outcomesOf(port, "CallbackAbandoned"), [
      ["CallbackAttemptFailed", 1, 500, "the receiver answered 500"],
      ["CallbackAttemptFailed", 2, 500, "the receiver answered 500"],
      ["CallbackAbandoned", undefined, undefined, undefined]
    ])
  })

  it.live("gets the callback when its response body does not end", function* () {
    const { port } = yield* httpsServer((_, response) => writeForever(response.writeHead(200)))
    const { outcomesOf } = yield* given()

    assert.deepStrictEqual(yield* outcomesOf(port, "CallbackDelivered"), [["CallbackDelivered", 1, 200, undefined]])
  })

  it.live("gets no request when its name resolves to a private address at the second attempt", function* () {
    const server = yield* httpsServer((_, response) => response.writeHead(503).end())
    let lookups = 0
    const { outcomesOf } = yield* given({
      lookup: () => Effect.succeed([lookups++ === 0 ? "127.0.0.1" : "10.0.0.1"])
    })

    const [, second] = yield* outcomesOf(server.port, "CallbackAbandoned")

    assert.deepStrictEqual(second, [
      "CallbackAttemptFailed",
      2,
      null,
      "not-public: receiver.test resolves to 10.0.0.1, which is not a public address"
    ])
    assert.strictEqual(server.requests.length, 1)
  })
})
