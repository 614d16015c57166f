import type { Socket } from "node:net"
import type { Writable } from "node:stream"
import { assert, describe, it } from "../../../support/it.ts"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { check, httpServer, rawAnswer, rawServer, request, text } from "./loopback.ts"

/** Writes endlessly, as fast as the client reads. */
const writeForever = (writable: Writable) => {
  const more = () => {
    while (writable.write("x".repeat(1024)));
    writable.once("drain", more)
  }
  more()
}

/** Writes the text endlessly, one character every 10 ms, so that every deadline passes first. */
const writeSlowly = (socket: Socket, slow: string) => {
  let at = 0
  const timer = setInterval(() => socket.write(slow[at++ % slow.length] ?? ""), 10)
  socket.on("close", () => clearInterval(timer))
}

describe("the limit of a body", () => {
  const bodyOf = (size: number) => httpServer((_, response) => response.end("x".repeat(size)))
  const endless = httpServer((_, response) => writeForever(response.writeHead(200)))

  it.live("accepts a body of exactly that size in both modes", function* () {
    const { url } = yield* bodyOf(100)

    for (const overflow of ["fail", "truncate"] as const) {
      const answer = yield* request({ url, maxBytes: 100, overflow })
      assert.strictEqual(answer.body.byteLength, 100)
    }
  })

  it.live("refuses one byte more with overflow fail, with and without a content-length", function* () {
    const announced = yield* bodyOf(101)
    const chunked = yield* httpServer((_, response) => {
      response.write("x".repeat(50))
      response.end("x".repeat(51))
    })

    for (const { url } of [announced, chunked]) {
      const error = yield* Effect.flip(request({ url, maxBytes: 100 }))
      assert.strictEqual(error.reason, "too-large")
    }
  })

  it.live("refuses a too large content-length without waiting for the body", function* () {
    const { url } = yield* httpServer((_, response) => {
      response.writeHead(200, { "content-length": 101 }).flushHeaders()
    })

    const error = yield* Effect.flip(request({ url, maxBytes: 100 }))

    assert.strictEqual(error.reason, "too-large")
  })

  it.live("cuts a body with overflow truncate", function* () {
    const { url } = yield* bodyOf(101)

    const answer = yield* request({ url, maxBytes: 3, overflow: "truncate" })

    assert.strictEqual(answer.status, 200)
    assert.strictEqual(text(answer.body), "xxx")
  })

  it.live("ends an endless body in both modes", function* () {
    const { url } = yield* endless

    const error = yield* Effect.flip(request({ url, maxBytes: 5_000 }))
    const answer = yield* request({ url, maxBytes: 5_000, overflow: "truncate" })

    assert.strictEqual(error.reason, "too-large")
    assert.strictEqual(answer.body.byteLength, 5_000)
  })

  it.live("does not wait for more bytes with overflow truncate", function* () {
    const hanging = yield* httpServer((_, response) => {
      response.writeHead(200).write("abc")
    })

    const headOnly = yield* httpServer((_, response) => response.flushHeaders())

    const some = yield* request({ url: hanging.url, maxBytes: 3, overflow: "truncate" })
    const none = yield* request({ url: headOnly.url, maxBytes: 0, overflow: "truncate" })

    assert.strictEqual(text(some.body), "abc")
    assert.strictEqual(none.body.byteLength, 0)
  })

  it.live("accepts an empty body when it is 0", function* () {
    const { url } = yield* bodyOf(0)

    assert.strictEqual((yield* request({ url, maxBytes: 0 })).body.byteLength, 0)
  })

  it.live("counts compressed bytes and does not decompress them", function* () {
    const { url } = yield* httpServer((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("not even gzip")
    })

    const answer = yield* request({ url })

    assert.strictEqual(text(answer.body), "not even gzip")
    assert.strictEqual(answer.headers["content-encoding"], "gzip")
  })
})

describe("the limit of time", () => {
  const slow = {
    "nothing at all": rawServer(() => {}),
    "a slow head": rawServer((socket) => writeSlowly(socket, "HTTP/1.1 200 OK\r\nX-A: ".concat("a".repeat(10_000)))),
    "endless interim responses": rawServer((socket) => writeSlowly(socket, "HTTP/1.1 103 Early Hints\r\n\r\n")),
    "a slow body": rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      writeSlowly(socket, "x")
    }),
    "a chunked body that stops": rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
    }),
    "redirects, each slow": rawServer((socket) => {
      const timer = setTimeout(() => socket.end("HTTP/1.1 302 Found\r\nLocation: /on\r\n\r\n"), 30)
      socket.on("close", () => clearTimeout(timer))
    })
  }

  for (const [response, server] of Object.entries(slow)) {
    it.live(`ends an exchange with a server that sends ${response}`, function* () {
      const { url } = yield* server

      const error = yield* Effect.flip(request({ url, timeoutMillis: 150, maxRedirects: 1_000 }))

      assert.strictEqual(error.reason, "timeout")
      assert.strictEqual(error.detail, "127.0.0.1 took longer than 150 ms")
    })
  }

  it.effect("ends a request whose name resolves too slowly", function* () {
    const started = yield* Deferred.make<void>()
    const lookup = () => Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
    const slow = request({ url: "https://slow.test/", timeoutMillis: 1_000 }, { lookup })
    const fiber = yield* Effect.forkChild(Effect.flip(slow))

    yield* Deferred.await(started)
    yield* TestClock.adjust(1_000)

    assert.strictEqual((yield* Fiber.join(fiber)).reason, "timeout")
  })

  it.effect("ends a check as unresolvable after five seconds", function* () {
    const started = yield* Deferred.make<void>()
    const lookup = () => Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
    const fiber = yield* Effect.forkChild(Effect.flip(check("https://slow.test/", { lookup })))

    yield* Deferred.await(started)
    yield* TestClock.adjust("5 seconds")

    assert.strictEqual((yield* Fiber.join(fiber)).reason, "unresolvable")
  })
})

describe("an interrupted request", () => {
  it.live("closes its connection", function* () {
    const started = yield* Deferred.make<void>()
    const closed = yield* Deferred.make<void>()
    const { url } = yield* rawServer((socket) => {
      socket.once("data", () => Deferred.doneUnsafe(started, Effect.void))
      socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
    })
    const fiber = yield* Effect.forkChild(request({ url }))

    yield* Deferred.await(started)
    yield* Fiber.interrupt(fiber)

    yield* Deferred.await(closed)
  })

  it.live("closes its connection also after a truncated response", function* () {
    const closed = yield* Deferred.make<void>()
    const { url } = yield* httpServer((_, response) => {
      response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
      writeForever(response.writeHead(200))
    })

    yield* request({ url, maxBytes: 10, overflow: "truncate" })

    yield* Deferred.await(closed)
  })
})

describe("a broken answer", () => {
  const broken = {
    "no HTTP": "SSH-2.0-OpenSSH_9.6\r\n",
    "nothing": "",
    "half a head": "HTTP/1.1 200 OK\r\nContent-Len",
    "no status": "HTTP/1.1 abc OK\r\n\r\n",
    "less than its length": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    "a broken chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "half a chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc",
    "another protocol": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc",
    "a huge header": `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(200_000)}\r\n\r\n`,
    "very many headers": `HTTP/1.1 200 OK\r\n${"X-A: a\r\n".repeat(20_000)}\r\n`
  }

  for (const [title, bytes] of Object.entries(broken)) {
    it.live(`is unreachable: ${title}`, function* () {
      const { url } = yield* rawAnswer(bytes)

      const error = yield* Effect.flip(request({ url }))

      assert.strictEqual(error.reason, "unreachable")
      assert.match(error.detail, /^127\.0\.0\.1: ./u)
    })
  }

  it.live("is unreachable: a reset before the head, or within the body", function* () {
    const before = yield* rawServer((socket) => {
      socket.once("data", () => socket.resetAndDestroy())
    })
    const within = yield* rawServer((socket) => {
      socket.once(
        "data",
        () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", () => socket.resetAndDestroy())
      )
    })

    for (const { url } of [before, within]) {
      assert.strictEqual((yield* Effect.flip(request({ url }))).reason, "unreachable")
    }
  })

  it.live("is unreachable: a closed port", function* () {
    const { port } = yield* Effect.scoped(rawServer(() => {}))

    assert.strictEqual((yield* Effect.flip(request({ url: `http://127.0.0.1:${port}/` }))).reason, "unreachable")
  })
})
