import http from "node:http"
import https from "node:https"
import net from "node:net"
import { Effect, Layer } from "effect"
import { Egress, type EgressRequest } from "../../../ports/egress.ts"
import type { EgressSettings } from "../../../infrastructure/egress/egress-settings.ts"
import { layerEgress } from "../../../infrastructure/egress/layer.ts"
import type { Lookup } from "../../../infrastructure/egress/resolve.ts"
import { type Asked, type Handler, listening, recording } from "../../support/loopback-server.ts"
import { certificateOf } from "../../support/tls.ts"

type Settings = Partial<EgressSettings> & { readonly lookup?: Lookup }

/** The way out with 127.0.0.0/8 opened for the servers of a test; no name is resolved unless a test says how. */
export const layerLoopback = (settings: Settings = {}) =>
  layerEgress({
    allowCidrs: ["127.0.0.0/8"],
    hosts: {},
    userAgent: "SlipTrail-test",
    lookup: () => Effect.die("a name was resolved that the test did not expect"),
    ...settings
  })

/** One request; what a test does not name is harmless and generous. */
export const request = (request: Partial<EgressRequest> & { readonly url: string }, settings: Settings = {}) =>
  Egress.use((egress) =>
    egress.request({
      method: "GET",
      schemes: ["http", "https"],
      maxRedirects: 0,
      maxBytes: 64 * 1024,
      overflow: "fail",
      timeoutMillis: 20_000,
      ...request
    })
  ).pipe(Effect.provide(Layer.orDie(layerLoopback(settings))))

export const check = (url: string, settings: Settings = {}) =>
  Egress.use((egress) => egress.check(url, ["http", "https"])).pipe(
    Effect.provide(Layer.orDie(layerLoopback(settings)))
  )

export const text = (body: Uint8Array): string => new TextDecoder().decode(body)

/** An HTTP server on loopback: where it is, and what it was asked so far. */
export const httpServer = Effect.fnUntraced(function* (handler: Handler, address = "127.0.0.1") {
  const asked: Array<Asked> = []
  const port = yield* listening(http.createServer(recording(asked, handler)), address)
  return { port, url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`, asked }
})

/** An HTTPS server on loopback with a certificate of the test authority, or a worse one. */
export const httpsServer = Effect.fnUntraced(
  function* (handler: Handler, certificate: Parameters<typeof certificateOf>[0] = "trusted") {
    const asked: Array<Asked> = []
    const server = https.createServer(certificateOf(certificate), recording(asked, handler))
    // A client that refuses the certificate is what some tests are about.
    server.on("tlsClientError", () => {})
    const port = yield* listening(server, "127.0.0.1")
    return { port, asked }
  }
)

/** A server without any manners: it does with a connection what the test says. */
export const rawServer = Effect.fnUntraced(function* (onConnection: (socket: net.Socket) => void) {
  const port = yield* listening(net.createServer(onConnection), "127.0.0.1")
  return { port, url: `http://127.0.0.1:${port}/` }
})

/** Answers the first bytes that come with these, as they are, and ends the connection. */
export const rawAnswer = (answer: string) =>
  rawServer((socket) => {
    socket.once("data", () => socket.end(answer))
  })

/** Layers that a test builds only to see them refused. */
export const built = (settings: Settings) => Layer.build(layerLoopback(settings))
