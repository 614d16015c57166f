import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { check, httpServer, rawAnswer, request, text } from "./loopback.ts"

describe("a request over HTTP", () => {
  it.live("sends the name, path and query of the URL and returns status, headers, body and address", function* () {
    const server = yield* httpServer((_, response) => {
      response.writeHead(201, { "X-Slip": "yes", "Set-Cookie": ["a=1", "b=2"] }).end("saved")
    })
    const url = `http://receiver.test:${server.port}/hook?job=1`

    const answer = yield* request({ url }, { hosts: { "receiver.test": "127.0.0.1" } })

    assert.strictEqual(answer.status, 201)
    assert.strictEqual(answer.headers["x-slip"], "yes")
    assert.strictEqual(answer.headers["set-cookie"], "a=1, b=2")
    assert.strictEqual(text(answer.body), "saved")
    assert.deepStrictEqual(answer.hops, [{ url, address: "127.0.0.1" }])
    const [received] = server.requests
    assert.strictEqual(received?.method, "GET")
    assert.strictEqual(received?.url, "/hook?job=1")
    assert.strictEqual(received?.headers.host, `receiver.test:${server.port}`)
    assert.strictEqual(received?.headers["user-agent"], "SlipTrail-test")
    assert.strictEqual(received?.headers["accept-encoding"], "identity")
    assert.strictEqual(received?.headers.connection, "close")
  })

  it.live("sends the unchanged body with the headers of the caller", function* () {
    const server = yield* httpServer((_, response) => response.writeHead(204).end())
    const body = new TextEncoder().encode(`{"name":"สลิป"}`)
    const headers = {
      "Content-Type": "application/json",
      "X-Service-Signature": "sha256=00",
      "User-Agent": "other/1"
    }

    const answer = yield* request({ url: server.url, method: "POST", body, headers })

    assert.strictEqual(answer.status, 204)
    assert.strictEqual(answer.body.byteLength, 0)
    const [received] = server.requests
    assert.strictEqual(received?.body, `{"name":"สลิป"}`)
    assert.strictEqual(received?.headers["content-length"], String(body.byteLength))
    assert.strictEqual(received?.headers["content-type"], "application/json")
    assert.strictEqual(received?.headers["x-service-signature"], "sha256=00")
    assert.strictEqual(received?.headers["user-agent"], "other/1")
  })

  it.live("ignores headers of the caller that change the target or the framing", function* () {
    const server = yield* httpServer((_, response) => response.end())
    const headers = {
      "Host": "internal.test",
      "Transfer-Encoding": "chunked",
      "Content-Length": "1",
      "Accept-Encoding": "gzip"
    }

    yield* request({ url: server.url, method: "POST", body: new Uint8Array(3), headers })

    assert.strictEqual(server.requests[0]?.headers.host, `127.0.0.1:${server.port}`)
    assert.strictEqual(server.requests[0]?.headers["content-length"], "3")
    assert.strictEqual(server.requests[0]?.headers["accept-encoding"], "identity")
    assert.isUndefined(server.requests[0]?.headers["transfer-encoding"])
  })

  it.live("fails as unreachable when a header cannot be sent", function* () {
    const server = yield* httpServer((_, response) => response.end())

    const error = yield* Effect.flip(request({ url: server.url, headers: { "x-name": "a\r\nx-other: b" } }))

    assert.strictEqual(error.reason, "unreachable")
    assert.deepStrictEqual(server.requests, [])
  })

  it.live("connects to an IPv6 literal, and reads a mapped one as IPv4", function* () {
    const six = yield* httpServer((_, response) => response.end("six"), "::1")
    const four = yield* httpServer((_, response) => response.end("four"))

    const overSix = yield* request({ url: six.url }, { allowCidrs: ["::1"] })
    const overFour = yield* request({ url: `http://[::ffff:127.0.0.1]:${four.port}/` })

    assert.strictEqual(text(overSix.body), "six")
    assert.strictEqual(six.requests[0]?.headers.host, `[::1]:${six.port}`)
    assert.strictEqual(overSix.hops[0]?.address, "::1")
    assert.strictEqual(text(overFour.body), "four")
    assert.strictEqual(overFour.hops[0]?.address, "127.0.0.1")
  })

  it.live("reads HTTP/1.0 responses, whose body ends with the connection", function* () {
    const server = yield* rawAnswer("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold but whole")

    const answer = yield* request({ url: server.url })

    assert.strictEqual(answer.status, 200)
    assert.strictEqual(text(answer.body), "old but whole")
  })

  it.live("ignores interim responses", function* () {
    const server = yield* rawAnswer(
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    )

    const answer = yield* request({ url: server.url })

    assert.strictEqual(answer.status, 200)
    assert.strictEqual(text(answer.body), "ok")
  })
})

describe("a URL", () => {
  it.effect.each([
    "file:///etc/passwd",
    "ftp://files.test/a",
    "data:text/plain,a",
    "gopher://a.test/",
    "blob:http://a.test/1",
    "slip:1"
  ])("of another scheme is refused: %s", function* (url) {
    assert.strictEqual((yield* Effect.flip(request({ url }))).reason, "protocol")
    assert.strictEqual((yield* Effect.flip(check(url))).reason, "protocol")
  })

  it.effect("with an unsupported scheme is refused", function* () {
    const error = yield* Effect.flip(request({ url: "http://127.0.0.1/", schemes: ["https"] }))

    assert.strictEqual(error.reason, "protocol")
    assert.strictEqual(error.detail, "the scheme http is not supported here, only https")
  })

  it.effect.each([
    "",
    "slip",
    "//host/path",
    "http://",
    "http://a b/",
    "http://[::1",
    "http://[fe80::1%25eth0]/",
    "http://256.0.0.1/",
    "http://a.test:65536/",
    "http://user@a.test/",
    "http://user:hunter2@a.test/",
    "https://:hunter2@a.test/?token=s3cret"
  ])("that cannot be parsed or holds credentials is invalid: %s", function* (url) {
    for (const error of [yield* Effect.flip(request({ url })), yield* Effect.flip(check(url))]) {
      assert.strictEqual(error.reason, "invalid-url")
      assert.notInclude(JSON.stringify(error), "hunter2")
      assert.notInclude(JSON.stringify(error), "s3cret")
    }
  })

  it.live("is quoted without its query when it is unreachable", function* () {
    const garbage = yield* rawAnswer("garbage")
    const urls = [`${garbage.url}?token=s3cret`, "http://10.0.0.1/?token=s3cret", "http://127.0.0.1:1/?token=s3cret"]

    for (const url of urls) {
      const error = yield* Effect.flip(request({ url }))
      assert.notInclude(error.detail, "s3cret")
    }
  })
})
