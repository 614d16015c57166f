import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { once } from "node:events"
import type { RequestListener, Server } from "node:http"
import net from "node:net"
import { makeServer, type TimeLimits, timeLimits } from "../../../../infrastructure/web/http/server/make-server.ts"
import { eventuallyHolds } from "../../../support/eventually.ts"

/** No limit ends a connection, except those that a test shortens. */
const NEVER: TimeLimits = {
  inactive: 0,
  keepAlive: 3_600_000,
  headers: 3_600_000,
  request: 3_600_000,
  check: 20,
  linger: 3_600_000
}

const SOON = 50

/** A server on a free port with shortened limits. */
const given = (
  times: Partial<TimeLimits>,
  answer: RequestListener = (_, response) => response.end()
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = makeServer(undefined, { ...NEVER, ...times })
      server.on("request", answer)
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** A peer that sends some bytes. It never closes its side by itself. */
const peerOf = (server: Server, bytes: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port ?? 0 : 0
      const socket = net.connect({ host: "127.0.0.1", port, allowHalfOpen: true })
      socket.on("error", () => {})
      socket.write(bytes)
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Waits until the server has taken the connection, and then until it has none. */
const hasEnded = Effect.fnUntraced(function* (server: Server, accepted: Promise<unknown>) {
  yield* Effect.promise(() => accepted)
  const connections = Effect.callback<number>((resume) => {
    server.getConnections((_, count) => resume(Effect.succeed(count)))
  })
  yield* eventuallyHolds(Effect.map(connections, (count) => count === 0))
})

const textOf = (socket: net.Socket) =>
  Effect.promise(async () => {
    const chunks: Array<string> = []
    for await (const chunk of socket.setEncoding("utf8")) chunks.push(String(chunk))
    return chunks.join("")
  })

const MANY_BYTES = Buffer.alloc(32 * 1024 * 1024)
const REQUEST = "POST / HTTP/1.1\r\nHost: x\r\n"

describe("the server ends a connection", () => {
  it("after the documented times", () => {
    assert.deepStrictEqual(timeLimits, {
      inactive: 30_000,
      keepAlive: 65_000,
      headers: 20_000,
      request: 60_000,
      check: 5_000,
      linger: 1_000
    })
  })

  it.live("that brings no byte", function* () {
    const server = yield* given({ inactive: SOON })
    const accepted = once(server, "connection")
    yield* peerOf(server, "")
    yield* hasEnded(server, accepted)
  })

  it.live.each(
    [
      ["headers", { headers: SOON }, `${REQUEST}X-Endless: `],
      ["a body of announced length", { headers: SOON, request: SOON }, `${REQUEST}Content-Length: 9\r\n\r\nx`],
      ["a body in chunks", { headers: SOON, request: SOON }, `${REQUEST}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`]
    ] as const
  )("whose request has %s without an end", function* ([, times, bytes]) {
    const server = yield* given({ ...times, linger: SOON }, (request) => void request.resume())
    const accepted = once(server, "connection")
    const peer = yield* peerOf(server, bytes)
    assert.match(yield* textOf(peer), /^HTTP\/1\.1 400 [^]*The request took too long to arrive/u)
    // The peer has read the answer, and leaves its own side open.
    assert.isFalse(peer.writableEnded)
    yield* hasEnded(server, accepted)
  })

  it.live("whose request offers to upgrade the protocol and has a body without an end", function* () {
    const times = { headers: SOON, request: SOON, linger: SOON }
    const server = yield* given(times, (request) => void request.resume())
    // The framework listens to it too. Node leaves the connection of an upgrade without time limits.
    server.on("upgrade", () => {})
    const accepted = once(server, "connection")
    const offer = "Connection: Upgrade\r\nUpgrade: foo\r\n"
    const peer = yield* peerOf(server, `${REQUEST}${offer}Content-Length: 9\r\n\r\nx`)
    assert.match(yield* textOf(peer), /^HTTP\/1\.1 400 [^]*The request took too long to arrive/u)
    yield* hasEnded(server, accepted)
  })

  it.live("whose answer is not read", function* () {
    const server = yield* given({ inactive: SOON }, (_, response) => response.end(MANY_BYTES))
    const accepted = once(server, "connection")
    const peer = yield* peerOf(server, `${REQUEST}Content-Length: 0\r\n\r\n`)
    peer.pause()
    yield* hasEnded(server, accepted)
  })

  it.live("that brings no further request", function* () {
    const server = yield* given({ keepAlive: SOON })
    const accepted = once(server, "connection")
    const peer = yield* peerOf(server, `${REQUEST}Content-Length: 0\r\n\r\n`)
    assert.match(yield* textOf(peer), /^HTTP\/1\.1 200 /u)
    yield* hasEnded(server, accepted)
  })

  it.live("that is not HTTP, although its peer reads nothing and never closes its side", function* () {
    const server = yield* given({ linger: SOON })
    const accepted = once(server, "connection")
    const peer = yield* peerOf(server, "nonsense\r\n\r\n")
    peer.pause()
    yield* hasEnded(server, accepted)
  })

  it.live("whose last answer is read, although its peer never closes its side", function* () {
    const server = yield* given({})
    const accepted = once(server, "connection")
    const peer = yield* peerOf(server, `${REQUEST}Content-Length: 0\r\nConnection: close\r\n\r\n`)
    assert.match(yield* textOf(peer), /^HTTP\/1\.1 200 /u)
    yield* hasEnded(server, accepted)
  })
})

describe("the server keeps a connection", () => {
  it.live("without a byte as long as its request is not answered, also one that expects 100 Continue", function* () {
    const server = yield* given({})
    server.on("checkContinue", ({ socket }, response) => {
      socket.setTimeout(SOON)
      server.once("timeout", () => response.end("late"))
    })
    const expects = "Expect: 100-continue\r\n"
    const peer = yield* peerOf(server, `${REQUEST}${expects}Content-Length: 0\r\nConnection: close\r\n\r\n`)
    assert.match(yield* textOf(peer), /^HTTP\/1\.1 200 [^]*late$/u)
  })

  it.live("without a byte as long as its request is not answered", function* () {
    // The limit begins with the request: before it, a slow peer would lose its connection.
    const server = yield* given({}, ({ socket }, response) => {
      socket.setTimeout(SOON)
      // After the server's own listener, which must not end the connection.
      server.once("timeout", () => response.end("late"))
    })
    const peer = yield* peerOf(server, `${REQUEST}Content-Length: 0\r\nConnection: close\r\n\r\n`)
    assert.match(yield* textOf(peer), /^HTTP\/1\.1 200 [^]*late$/u)
  })
})
