import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { testAuthority } from "../../../support/tls.ts"
import { httpsServer, rawAnswer, rawServer, request, text } from "./loopback.ts"

const hosts = { "receiver.test": "127.0.0.1", "elsewhere.test": "127.0.0.1" }
const trusting = { hosts, caFile: testAuthority.file }
const answering = (certificate?: "trusted" | "expired" | "stranger") =>
  httpsServer((_, response) => response.end("over TLS"), certificate)

describe("a request over TLS", () => {
  it.live("trusts the authority of the CA file, for the URL's name and not for the address", function* () {
    const server = yield* answering()

    const answer = yield* request({ url: `https://receiver.test:${server.port}/a`, schemes: ["https"] }, trusting)

    assert.strictEqual(text(answer.body), "over TLS")
    assert.strictEqual(answer.hops[0]?.address, "127.0.0.1")
    assert.strictEqual(server.requests[0]?.headers.host, `receiver.test:${server.port}`)
  })

  it.live("accepts an absolute name, and an address that the certificate contains", function* () {
    const { port } = yield* answering()

    for (const host of ["receiver.test.", "127.0.0.1"]) {
      assert.strictEqual((yield* request({ url: `https://${host}:${port}/` }, trusting)).status, 200)
    }
  })

  it.live("refuses a certificate for another name, and sends nothing", function* () {
    const server = yield* answering()

    for (const host of ["elsewhere.test", "127.0.0.2"]) {
      const error = yield* Effect.flip(
        request({ url: `https://${host}:${server.port}/?token=s3cret` }, { ...trusting, hosts })
      )
      assert.strictEqual(error.reason, "unreachable")
      assert.notInclude(error.detail, "s3cret")
    }
    assert.deepStrictEqual(server.requests, [])
  })

  it.live.each(["expired", "stranger"] as const)("refuses an invalid certificate: %s", function* (certificate) {
    const server = yield* answering(certificate)

    const error = yield* Effect.flip(request({ url: `https://receiver.test:${server.port}/` }, trusting))

    assert.strictEqual(error.reason, "unreachable")
    assert.include(error.detail, "receiver.test: ")
    assert.notInclude(error.detail, "--use-system-ca", "advice for operators of the runtime")
    assert.deepStrictEqual(server.requests, [])
  })

  it.live("trusts only the authorities of the runtime without a CA file", function* () {
    const { port } = yield* answering()

    const error = yield* Effect.flip(request({ url: `https://receiver.test:${port}/` }, { hosts }))

    assert.strictEqual(error.reason, "unreachable")
  })

  it.live("ends at the time limit when the handshake hangs", function* () {
    const { port } = yield* rawServer(() => {})

    const error = yield* Effect.flip(
      request({ url: `https://receiver.test:${port}/`, timeoutMillis: 100 }, trusting)
    )

    assert.strictEqual(error.reason, "timeout")
  })

  it.live("is unreachable when the server does not support TLS", function* () {
    const { port } = yield* rawAnswer("HTTP/1.1 200 OK\r\n\r\n")

    const error = yield* Effect.flip(request({ url: `https://receiver.test:${port}/` }, trusting))

    assert.strictEqual(error.reason, "unreachable")
  })
})
