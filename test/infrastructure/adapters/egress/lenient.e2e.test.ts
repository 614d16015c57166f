import type { Socket } from "node:net"
import tls from "node:tls"
import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Result } from "effect"
import { listening } from "../../../support/loopback-server.ts"
import { certificateOf, testAuthority } from "../../../support/tls.ts"
import { httpServer, rawServer, request, text } from "./loopback.ts"

type Behaviour = (socket: Socket, reset: () => void) => void

/** Answers the first bytes of a request. */
const answering = (...pieces: ReadonlyArray<string>): Behaviour => (socket) =>
  void socket.once("data", () => {
    for (const piece of pieces) socket.write(piece)
    socket.end()
  })

/** Answers the first bytes of a request, and keeps the connection open. */
const hanging = (answer: string): Behaviour => (socket) => void socket.once("data", () => socket.write(answer))

/** Answers the first bytes of a request, and resets the connection. */
const resetting = (answer: string): Behaviour => (socket, reset) =>
  void socket.once("data", () => socket.write(answer, reset))

/** Writes the text without end, after the answer. */
const dripping = (answer: string, drop: string): Behaviour => (socket) =>
  void socket.once("data", () => {
    socket.write(answer)
    const timer = setInterval(() => socket.write(drop), 10)
    socket.on("close", () => clearInterval(timer))
  })

const ok = "HTTP/1.1 200 OK\r\n"
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`

/** Answers whose status is 200 and whose rest is in some way wrong, with the body or the reason for who needs it whole. */
const answers: Readonly<Record<string, readonly [Behaviour, body: string]>> = {
  "a cut body": [answering(`${ok}Content-Length: 10\r\n\r\nabc`), "unreachable"],
  "a cut chunk": [answering(`${chunked}a\r\nabc`), "unreachable"],
  "a body without its last chunk": [answering(`${chunked}2\r\nok\r\n`), "unreachable"],
  "a hanging body": [hanging(`${ok}Content-Length: 10\r\n\r\nabc`), "timeout"],
  "a hanging chunk": [hanging(`${chunked}a\r\nabc`), "timeout"],
  "a head that hangs": [hanging(`${ok}X-A: `), "timeout"],
  "a status line that hangs": [hanging("HTTP/1.1 200 "), "timeout"],
  "a body by the byte": [dripping(`${ok}Content-Length: 10000\r\n\r\n`, "x"), "timeout"],
  "a head by the byte": [dripping(ok, "x"), "timeout"],
  "no length on an open connection": [hanging(`${ok}\r\nok`), "timeout"],
  "a reset after the status line": [resetting(ok), "unreachable"],
  "a reset after the head": [resetting(`${ok}Content-Length: 10\r\n\r\n`), "unreachable"],
  "a reset within the body": [resetting(`${ok}Content-Length: 10\r\n\r\nabc`), "unreachable"],
  "only a status line": [answering(ok), "unreachable"],
  "only a status": [answering("HTTP/1.1 200"), "unreachable"],
  "a length and chunks": [
    answering(`${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    "ok"
  ],
  "chunks and a length": [
    answering(`${ok}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    "ok"
  ],
  "two equal lengths": [answering(`${ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`), "ok"],
  "two different lengths": [answering(`${ok}Content-Length: 1\r\nContent-Length: 9\r\n\r\nok`), "ok"],
  "a length that is no number": [answering(`${ok}Content-Length: many\r\n\r\nok`), "ok"],
  "a header without a colon": [answering(`${ok}broken\r\nContent-Length: 2\r\n\r\nok`), "ok"],
  "a space before the colon": [answering(`${ok}Content-Length : 2\r\n\r\nok`), "ok"],
  "a folded header": [answering(`${ok}X-A: a\r\n b\r\nContent-Length: 2\r\n\r\nok`), "ok"],
  "a header in Thai": [answering(`${ok}X-ร้าน: ตกลง\r\nContent-Length: 2\r\n\r\nok`), "ok"],
  "a header with NUL": [answering(`${ok}X-A: a\0b\r\nContent-Length: 2\r\n\r\nok`), "ok"],
  "lines that end with LF only": [answering("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"), "ok"],
  "lines that end with CR only": [answering("HTTP/1.1 200 OK\rContent-Length: 2\r\rok"), "unreachable"],
  "20 KB of cookies": [answering(`${ok}${"Set-Cookie: a=0123456789\r\n".repeat(800)}\r\nok`), "ok"],
  "200 KB of cookies": [answering(`${ok}${"Set-Cookie: a=0123456789\r\n".repeat(8_000)}\r\nok`), "unreachable"],
  "one cookie of 200 KB": [answering(`${ok}Set-Cookie: ${"a".repeat(200_000)}\r\n\r\nok`), "unreachable"],
  "a chunk whose size is no number": [answering(`${chunked}zz\r\nok\r\n0\r\n\r\n`), "unreachable"],
  "a chunk whose size is negative": [answering(`${chunked}-2\r\nok\r\n0\r\n\r\n`), "unreachable"],
  "interim answers first": [
    answering("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n", `${ok}\r\nok`),
    "ok"
  ],
  "HTTP/1.0": [answering("HTTP/1.0 200 OK\r\n\r\nok"), "ok"],
  "a status line without a reason": [answering("HTTP/1.1 200\r\n\r\nok"), "ok"],
  "an oddly spaced status line": [answering("HTTP/1.1  200\t OK\r\n\r\nok"), "ok"],
  "a compressed body that is none": [answering(`${ok}Content-Encoding: gzip\r\n\r\nok`), "ok"],
  "bytes after its body": [answering(`${ok}Content-Length: 2\r\n\r\nok and more`), "ok"]
}

const overTcp = (behaviour: Behaviour) =>
  Effect.map(rawServer((socket) => behaviour(socket, () => socket.resetAndDestroy())), ({ url }) => url)

const overTls = Effect.fnUntraced(function* (behaviour: Behaviour) {
  let connection: Socket | undefined
  const server = tls.createServer(certificateOf("trusted"), (socket) => {
    socket.on("error", () => {})
    behaviour(socket, () => connection?.resetAndDestroy())
  })
  server.on("connection", (socket: Socket) => connection = socket)
  return `https://127.0.0.1:${yield* listening(server, "127.0.0.1")}/`
})

const transports = {
  TCP: { serve: overTcp, settings: {} },
  TLS: { serve: overTls, settings: { caFile: testAuthority.file } }
}

/** For a server that never ends: the first limits are short, the later ones are for slow machines. */
const LIMITS = [300, 3_000, 20_000]

/** The first answer within one of the limits. */
const eventuallyAnswered = Effect.fnUntraced(function* (...[sent, settings]: Parameters<typeof request>) {
  let outcome = yield* Effect.result(request({ ...sent, timeoutMillis: LIMITS[0] ?? 0 }, settings))
  for (const timeoutMillis of LIMITS.slice(1)) {
    if (Result.isFailure(outcome)) outcome = yield* Effect.result(request({ ...sent, timeoutMillis }, settings))
  }
  return yield* Effect.fromResult(outcome)
})

describe.each(["TCP", "TLS"] as const)("over %s", (transport) => {
  const { serve, settings } = transports[transport]

  for (const [title, [behaviour, body]] of Object.entries(answers)) {
    it.live(`the status of an answer counts that has ${title}`, function* () {
      const url = yield* serve(behaviour)

      const answer = yield* eventuallyAnswered({
        url,
        method: "POST",
        body: new TextEncoder().encode("{}"),
        overflow: "truncate"
      }, settings)

      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.hops, [{ url, address: "127.0.0.1" }])
    })

    it.live(`the body of an answer is ${body === "ok" ? "whole" : body} that has ${title}`, function* () {
      const url = yield* serve(behaviour)
      const timeoutMillis = body === "timeout" ? 300 : 20_000

      const outcome = yield* request({ url, timeoutMillis }, settings).pipe(
        Effect.match({ onSuccess: (answer) => text(answer.body), onFailure: ({ reason }) => reason })
      )

      assert.strictEqual(outcome, body)
    })
  }

  it.live("the status counts of an answer that comes before the whole request was sent", function* () {
    const early: Behaviour = (socket, reset) =>
      void socket.once("data", () => {
        socket.pause()
        socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 10\r\n\r\nabc", reset)
      })
    const url = yield* serve(early)
    const body = new Uint8Array(1024 * 1024)

    const answer = yield* request({ url, method: "POST", body, overflow: "truncate" }, settings)

    assert.strictEqual(answer.status, 413)
  })
})

describe("an answer whose status counts", () => {
  it.live("has the headers that were read", function* () {
    const url = yield* overTcp(resetting("HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nX-Cut: a"))

    const { headers } = yield* request({ url, overflow: "truncate" })

    assert.deepStrictEqual(headers, { "retry-after": "5" })
  })

  it.live("fails while no status is known", function* () {
    for (const bytes of ["", "HTTP/1.1 20", "HTTP/1.1 100 Continue\r\n\r\n", "no HTTP\r\n"]) {
      const url = yield* overTcp(answering(bytes))
      assert.strictEqual((yield* Effect.flip(request({ url, overflow: "truncate" }))).reason, "unreachable")
    }
  })

  it.live("fails when a redirect leads to an address that is not public", function* () {
    const { url } = yield* httpServer((_, response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end())

    const error = yield* Effect.flip(request({ url, overflow: "truncate", maxRedirects: 3 }))

    assert.strictEqual(error.reason, "not-public")
  })
})
