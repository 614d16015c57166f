import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop-with-picture.ts"

const env = {
  EGRESS_ALLOW_CIDRS: "127.0.0.1/32",
  EGRESS_HOSTS: "images.test=127.0.0.1,inside.test=10.0.0.1"
}

const verify = Effect.fnUntraced(function* (url: string) {
  const { verify } = yield* RunningService
  return yield* verify((yield* Shop).key, { url })
})

const unreachable = [400, "IMAGE_URL_UNREACHABLE", "Unable to access URL"] as const
const restricted = [400, "URL_INVALID_IP_RANGE", "URL points to restricted IP"] as const

layer.live(layerShop(env))("a picture at a URL", (it) => {
  it.effect("is fetched by name or address, from url or image, regardless of its content type", function* () {
    const { key, png, transRef } = yield* Shop
    const service = yield* RunningService
    const server = yield* httpServer(
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end(png)
    )
    const named = `http://images.test:${server.port}/slip.png?token=abc`

    for (const body of [{ url: server.url }, { image: server.url }, { url: named }]) {
      const answer = yield* service.verify(key, body)
      assert.strictEqual(answer.data?.rawSlip.transRef, transRef, answer.text)
    }
    const last = server.requests.at(-1)
    assert.deepInclude(last, { method: "GET", url: "/slip.png?token=abc", body: "" })
    assert.notProperty(last?.headers, "authorization", "the caller's key is not forwarded")
  })

  it.effect("is fetched through at most three redirects", function* () {
    const { png } = yield* Shop
    const server = yield* httpServer(({ url }, response) => {
      const left = Number(url.slice(1))
      if (left === 0) response.end(png)
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    assert.strictEqual((yield* verify(`${server.url}/3`)).status, 200)
    assertFailure(yield* verify(`${server.url}/4`), ...unreachable)
  })

  it.effect("is checked again at each redirect", function* () {
    const targets = [
      ["http://10.0.0.1/", restricted],
      ["http://inside.test/", restricted],
      ["http://169.254.169.254/latest/meta-data/", restricted],
      ["http://127.0.0.2/", restricted],
      ["file:///etc/passwd", [400, "URL_PROTOCOL_NOT_ALLOWED", "Only HTTP/HTTPS allowed"]]
    ] as const
    for (const [location, [status, code, message]] of targets) {
      const { url } = yield* httpServer((_, response) => response.writeHead(302, { location }).end())
      assertFailure(yield* verify(url), status, code, message)
    }
    assertFailure(yield* verify("http://inside.test/"), ...restricted)
  })

  it.effect.each([301, 304, 400, 401, 404, 500, 503])("is unreachable if the server answers %s", function* (status) {
    const { url } = yield* httpServer((_, response) => response.writeHead(status).end())
    assertFailure(yield* verify(url), ...unreachable)
  })

  it.effect("is unreachable if the connection breaks or is refused, or the name does not resolve", function* () {
    const { url } = yield* httpServer((_, response) => response.socket?.destroy())
    assertFailure(yield* verify(url), ...unreachable)
    assertFailure(yield* verify("http://127.0.0.1:1/"), ...unreachable)
    assertFailure(yield* verify("http://nowhere.invalid/"), ...unreachable)
  })

  it.effect("gets INVALID_IMAGE_TYPE if it is not a picture, INVALID_IMAGE_FORMAT if it is damaged", function* () {
    const { png } = yield* Shop
    const page = yield* httpServer(
      (_, response) => response.writeHead(200, { "content-type": "image/png" }).end("<html>")
    )
    assertFailure(yield* verify(page.url), 400, "INVALID_IMAGE_TYPE", "URL is not a valid image")
    const truncated = yield* httpServer((_, response) => response.end(png.slice(0, 2_000)))
    assertFailure(yield* verify(truncated.url), 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
  })

  it.effect("of more than 4 MB is too large, with or without a content length", function* () {
    const announced = yield* httpServer((_, response) => response.end(Buffer.alloc(4_194_305)))
    const endless = yield* httpServer((_, response) => {
      const chunk = Buffer.alloc(1 << 20)
      const more = () => {
        while (response.write(chunk));
        response.once("drain", more)
      }
      more()
    })
    for (const { url } of [announced, endless]) {
      assertFailure(yield* verify(url), 400, "IMAGE_SIZE_TOO_LARGE", "Image exceeds 4MB limit")
    }
  })
})
