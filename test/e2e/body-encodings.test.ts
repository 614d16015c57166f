import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { layerShop, Shop } from "./given-shop-with-picture.ts"

const MiB = 1024 * 1024

interface Sent {
  readonly path?: string
  readonly key?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sends the body in chunks, without a length. */
  readonly isChunked?: boolean
}

interface Failure {
  readonly code: string
  readonly message: string
  readonly issues?: ReadonlyArray<{ readonly message: string }>
}

/** Sends bytes with a Content-Encoding. */
const send = Effect.fnUntraced(function* (bytes: Buffer, encoding: string, sent: Sent = {}) {
  const { baseUrl } = yield* RunningService
  const { headers, isChunked = false, key = (yield* Shop).key, path = "/v2/verify/bank", type = "application/json" } =
    sent
  const body = isChunked ? new Blob([Buffer.from(bytes)]).stream() : Buffer.from(bytes)
  return yield* Effect.promise(async (signal) => {
    const init = {
      method: "POST",
      signal,
      duplex: "half" as const,
      headers: { authorization: `Bearer ${key}`, "content-type": type, "content-encoding": encoding, ...headers },
      body
    }
    const answer = await fetch(baseUrl + path, init)
    const text = await answer.text()
    const { error }: { readonly error?: Failure } = JSON.parse(text)
    return { status: answer.status, headers: answer.headers, text, error }
  })
})

const json = () => Buffer.from(JSON.stringify({ payload: newSlip().payload }))

const DAMAGED = "The body is not gzip, or was cut off. Send it whole, or without Content-Encoding."

layer.live(layerShop())("a body with a Content-Encoding", (it) => {
  it.effect.each(["gzip", "GZIP", "x-gzip", " gzip ", "identity, gzip"])("of %o is decompressed", function* (encoding) {
    for (const isChunked of [false, true]) {
      const answer = yield* send(gzipSync(json()), encoding, { isChunked })
      assert.strictEqual(answer.status, 200, answer.text)
    }
  })

  it.effect.each(["identity", "", "identity, identity"])("of %o is read as it is", function* (encoding) {
    const answer = yield* send(json(), encoding)
    assert.strictEqual(answer.status, 200, answer.text)
  })

  it.effect("may be a form of either kind, a file, or JSON under another type", function* () {
    const { png, transRef } = yield* Shop
    const form = new FormData()
    form.set("image", new Blob([png]), "slip.png")
    const encoded = new Response(form)
    const type = encoded.headers.get("content-type") ?? ""
    const multipart = Buffer.from(yield* Effect.promise(() => encoded.arrayBuffer()))
    const answer = yield* send(gzipSync(multipart), "gzip", { type })
    assert.include(answer.text, transRef)
    const urlencoded = Buffer.from(new URLSearchParams({ payload: newSlip().payload }).toString())
    for (const body of [urlencoded, json()]) {
      const read = yield* send(gzipSync(body), "gzip", { type: "application/x-www-form-urlencoded" })
      assert.strictEqual(read.status, 200, read.text)
    }
    const v1 = yield* send(gzipSync(json()), "gzip", { path: "/v1/verify" })
    assert.strictEqual(v1.status, 200, v1.text)
  })

  it.effect("may be large, and has the digest of its content", function* () {
    const { png } = yield* Shop
    const image = png.toString("base64") + "\n".repeat(300_000)
    const body = Buffer.from(JSON.stringify({ image }))
    const headers = { "idempotency-key": "compressed" }
    const first = yield* send(gzipSync(body), "gzip", { headers })
    assert.strictEqual(first.status, 200, first.text)
    const again = yield* send(body, "identity", { headers })
    assert.deepStrictEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
  })

  it.effect("may have several gzip members, and zeros behind them", function* () {
    const body = json()
    const members = Buffer.concat([gzipSync(body.subarray(0, 10)), gzipSync(""), gzipSync(body.subarray(10))])
    for (const bytes of [members, Buffer.concat([members, Buffer.alloc(100)])]) {
      const answer = yield* send(bytes, "gzip")
      assert.strictEqual(answer.status, 200, answer.text)
    }
  })

  it.effect("is refused when it is cut off, damaged, or something else", function* () {
    const whole = gzipSync(json())
    const flipped = Buffer.from(whole)
    flipped.writeUInt8(whole.readUInt8(whole.length - 6) ^ 1, whole.length - 6)
    const wrong = {
      "without its end": whole.subarray(0, -1),
      "without its checksum": whole.subarray(0, -8),
      "one byte": whole.subarray(0, 1),
      "nothing": Buffer.alloc(0),
      "a wrong checksum": flipped,
      "text behind it": Buffer.concat([whole, Buffer.from("trailing")]),
      "not gzip": json(),
      "deflate": deflateSync(json()),
      "half of a second member": Buffer.concat([whole, whole.subarray(0, 15)])
    }
    for (const [name, bytes] of Object.entries(wrong)) {
      for (const isChunked of [false, true]) {
        const { error, status } = yield* send(bytes, "gzip", { isChunked })
        assert.deepStrictEqual(
          [status, error?.code, error?.issues?.[0]?.message],
          [400, "VALIDATION_ERROR", DAMAGED],
          name
        )
      }
    }
    const twice = yield* send(gzipSync(whole), "gzip")
    assert.strictEqual(twice.error?.issues?.[0]?.message, "The body is not valid JSON")
  })

  it.effect("has the limits of what it stands for: a small body cannot become a large one", function* () {
    for (const filler of ["\0", " "]) {
      const bomb = gzipSync(filler.repeat(20 * MiB))
      assert.isBelow(bomb.length, MiB / 10)
      for (const isChunked of [false, true]) {
        assert.strictEqual((yield* send(bomb, "gzip", { isChunked })).error?.code, "IMAGE_SIZE_TOO_LARGE")
      }
    }
    const fits = gzipSync(Buffer.concat([json(), Buffer.alloc(6 * MiB - json().length, " ")]))
    assert.strictEqual((yield* send(fits, "gzip")).status, 200)
    const nested = yield* send(gzipSync(`{"payload":${"[".repeat(5 * MiB)}`), "gzip")
    assert.include(nested.text, "The body is nested deeper than 32 levels")
    const form = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n".repeat(100_000)
    const parts = yield* send(gzipSync(form), "gzip", { type: "multipart/form-data; boundary=b" })
    assert.include(parts.text, "The form has more than 100 fields")
    // Empty members decompress to nothing, however many there are.
    const member = gzipSync("")
    const empty = Buffer.concat(Array<Buffer>(Math.ceil(7 * MiB / member.length)).fill(member))
    assert.strictEqual((yield* send(empty, "gzip", { isChunked: true })).error?.code, "IMAGE_SIZE_TOO_LARGE")
  })

  it.effect.each(["br", "deflate", "compress", "zstd", "gzip, gzip", "br, gzip", "nonsense"])(
    "of %o is refused by its name",
    function* (encoding) {
      const bytes = encoding === "br" ? brotliCompressSync(json()) : json()
      const { error, headers, status } = yield* send(bytes, encoding)
      assert.deepStrictEqual([status, error?.code], [415, "UNSUPPORTED_CONTENT_ENCODING"])
      assert.strictEqual(
        error?.message,
        `The body has the Content-Encoding ${encoding}. Send it as it is, or compressed once with gzip.`
      )
      assert.strictEqual(headers.get("accept-encoding"), "gzip")
      const v1 = yield* send(bytes, encoding, { path: "/v1/verify" })
      assert.deepStrictEqual(JSON.parse(v1.text), { status: 415, message: "unsupported_content_encoding" })
      const unknown = yield* send(bytes, encoding, { key: "wrong" })
      assert.strictEqual(unknown.status, 401)
    }
  )
})
