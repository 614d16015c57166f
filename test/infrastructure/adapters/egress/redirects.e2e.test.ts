import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Result } from "effect"
import { type HopRequest, redirected } from "../../../../infrastructure/adapters/egress/target.ts"
import { testAuthority } from "../../../support/tls.ts"
import { httpServer, httpsServer, request, text } from "./loopback.ts"

/** A server on which /3 redirects to /2 and so on. /0 does not redirect. */
const countdown = httpServer(({ url }, response) => {
  const left = Number(url.slice(1))
  if (left === 0) response.end("the end")
  else response.writeHead(302, { location: String(left - 1) }).end("x".repeat(100_000))
})

const redirectTo = (location: string, status = 302) =>
  httpServer((_, response) => response.writeHead(status, { location }).end())

describe("redirects", () => {
  it.live("are followed up to the limit, also relative ones, without reading their bodies", function* () {
    const server = yield* countdown

    const answer = yield* request({ url: `${server.url}/3`, maxRedirects: 3, maxBytes: 10 })

    assert.strictEqual(text(answer.body), "the end")
    assert.deepStrictEqual(answer.hops.map(({ url }) => new URL(url).pathname), ["/3", "/2", "/1", "/0"])
  })

  it.live("are refused above the limit", function* () {
    const server = yield* countdown

    const error = yield* Effect.flip(request({ url: `${server.url}/4`, maxRedirects: 3 }))

    assert.strictEqual(error.reason, "too-many-redirects")
    assert.strictEqual(server.requests.length, 4)
  })

  it.live("are the response with a limit of 0 and without a target", function* () {
    const counting = yield* countdown
    const nowhere = yield* httpServer((_, response) => response.writeHead(302).end("nowhere"))

    const first = yield* request({ url: `${counting.url}/1`, maxBytes: 200_000 })
    const second = yield* request({ url: nowhere.url, maxRedirects: 3 })

    assert.strictEqual(first.status, 302)
    assert.strictEqual(first.headers["location"], "0")
    assert.strictEqual(first.body.byteLength, 100_000)
    assert.strictEqual(text(second.body), "nowhere")
  })

  it.live.each([
    ["http://10.0.0.1/", "not-public"],
    ["http://169.254.169.254/latest/meta-data/", "not-public"],
    ["http://[::1]/", "not-public"],
    ["http://0xa9fea9fe/", "not-public"],
    ["//192.168.0.1/", "not-public"],
    ["file:///etc/passwd", "protocol"],
    ["ftp://a.test/", "protocol"],
    ["http://user:hunter2@127.0.0.1/", "invalid-url"],
    ["http://[", "invalid-url"]
  ])("are checked like the first URL: %s is %s", function* ([location, reason]) {
    const { url } = yield* redirectTo(location ?? "")

    const error = yield* Effect.flip(request({ url, maxRedirects: 3 }))

    assert.strictEqual(error.reason, reason)
    assert.notInclude(error.detail, "hunter2")
  })

  it.live("never lead from https to http", function* () {
    const open = yield* httpServer((_, response) => response.end())
    const { port } = yield* httpsServer((_, response) => response.writeHead(302, { location: open.url }).end())

    const error = yield* Effect.flip(
      request({ url: `https://127.0.0.1:${port}/`, maxRedirects: 3 }, { caFile: testAuthority.file })
    )

    assert.strictEqual(error.reason, "protocol")
    assert.deepStrictEqual(open.requests, [])
  })

  it.live("do not send secrets and signatures to another origin", function* () {
    const other = yield* httpServer((_, response) => response.end())
    const server = yield* httpServer(({ url }, response) =>
      response.writeHead(307, { location: url === "/" ? "/same" : other.url }).end()
    )
    const secrets = {
      "Authorization": "Bearer a",
      "Cookie": "a=1",
      "X-Service-Signature": "sha256=00",
      "Webhook-Id": "1",
      "Webhook-Timestamp": "1",
      "Webhook-Signature": "v1,a"
    }

    yield* request({
      url: server.url,
      method: "POST",
      body: new TextEncoder().encode("{}"),
      headers: { ...secrets, "Content-Type": "application/json" },
      maxRedirects: 3
    })

    const [, same] = server.requests
    const [crossed] = other.requests
    for (const name of Object.keys(secrets)) {
      assert.isDefined(same?.headers[name.toLowerCase()])
      assert.isUndefined(crossed?.headers[name.toLowerCase()])
    }
    assert.strictEqual(crossed?.method, "POST")
    assert.strictEqual(crossed?.body, "{}")
    assert.strictEqual(crossed?.headers["content-type"], "application/json")
  })

  it.live("become a GET without a body after 303 for a POST", function* () {
    const server = yield* httpServer(({ url }, response) => {
      if (url === "/") response.writeHead(303, { location: "/see" })
      response.end()
    })

    yield* request({
      url: server.url,
      method: "POST",
      body: new TextEncoder().encode("{}"),
      headers: { "content-type": "application/json" },
      maxRedirects: 1
    })

    assert.strictEqual(server.requests[1]?.method, "GET")
    assert.strictEqual(server.requests[1]?.body, "")
    assert.isUndefined(server.requests[1]?.headers["content-type"])
    assert.isUndefined(server.requests[1]?.headers["content-length"])
  })
})

describe("the hop after a redirect", () => {
  const hopRequest = (method: "GET" | "POST"): HopRequest => ({
    url: new URL("https://a.test:8443/x/y?z=1"),
    method,
    headers: { "content-type": "text/plain", "cookie": "a=1", "x-api-key": "k", "accept": "*/*" },
    body: method === "POST" ? new Uint8Array(2) : undefined
  })
  const after = (method: "GET" | "POST", status: number, location: string) =>
    Result.getOrThrow(redirected(hopRequest(method), status, location, ["http", "https"]))

  it.each(
    [
      ["POST", 301, "GET"],
      ["POST", 302, "GET"],
      ["POST", 303, "GET"],
      ["POST", 307, "POST"],
      ["POST", 308, "POST"],
      ["GET", 301, "GET"],
      ["GET", 303, "GET"],
      ["GET", 308, "GET"]
    ] as const
  )("of a %s answered by %i is a %s", (method, status, next) => {
    const hop = after(method, status, "/n")

    assert.strictEqual(hop.method, next)
    assert.strictEqual(hop.body !== undefined, next === "POST")
  })

  it.each([
    ["n", "https://a.test:8443/x/n"],
    ["?q", "https://a.test:8443/x/y?q"],
    ["../n", "https://a.test:8443/n"],
    ["//b.test/n", "https://b.test/n"]
  ])("reads %s relative to the last URL", (location, url) => {
    assert.strictEqual(after("GET", 302, location).url.href, url)
  })

  it.each(["https://a.test/", "https://b.test:8443/", "//sub.a.test:8443/"])(
    "has no secrets for another origin: %s",
    (location) => {
      assert.deepStrictEqual(Object.keys(after("GET", 302, location).headers), ["content-type", "accept"])
    }
  )
})
