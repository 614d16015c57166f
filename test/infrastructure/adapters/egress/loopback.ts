import http from "node:http"
import https from "node:https"
import net from "node:net"
import { Effect, Layer } from "effect"
import { Egress, type EgressRequest } from "../../../../ports/egress.ts"
import type { EgressSettings } from "../../../../infrastructure/adapters/egress/egress-settings.ts"
import { layerEgress } from "../../../../infrastructure/adapters/egress/layer.ts"
import type { Lookup } from "../../../../infrastructure/adapters/egress/dns.ts"
import { type Handler, listening, type RecordedRequest, recording } from "../../../support/loopback-server.ts"
import { certificateOf } from "../../../support/tls.ts"

type Settings = Partial<EgressSettings> & { readonly lookup?: Lookup }

/** Egress that allows 127.0.0.0/8, for the servers of a test. Resolving a name fails unless a test sets `lookup`. */
export const layerLoopback = (settings: Settings = {}) =>
  layerEgress({
    allowCidrs: ["127.0.0.0/8"],
    hosts: {},
    dnsServers: [],
    userAgent: "SlipTrail-test",
    lookup: () => Effect.die("a name was resolved that the test did not expect"),
    ...settings
  })

/** Sends one request, with permissive defaults. */
export const request = (request: Partial<EgressRequest> & { readonly url: string }, settings: Settings = {}) =>
  Egress.use((egress) =>
    egress.request({
      branchId: "branch-1",
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
  Egress.use((egress) => egress.check(url, ["http", "https"], "branch-1")).pipe(
    Effect.provide(Layer.orDie(layerLoopback(settings)))
  )

export const text = (body: Uint8Array): string => new TextDecoder().decode(body)

/** Starts an HTTP server on loopback. Returns its address and the requests it has received. */
export const httpServer = Effect.fnUntraced(function* (handler: Handler, address = "127.0.0.1") {
  const requests: Array<RecordedRequest> = []
  const port = yield* listening(http.createServer(recording(requests, handler)), address)
  return { port, url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`, requests }
})

/** Starts an HTTPS server on loopback, with a certificate of the test authority or an invalid one. */
export const httpsServer = Effect.fnUntraced(
  function* (handler: Handler, certificate: Parameters<typeof certificateOf>[0] = "trusted") {
    const requests: Array<RecordedRequest> = []
    const server = https.createServer(certificateOf(certificate), recording(requests, handler))
    // Some tests expect the client to refuse the certificate.
    server.on("tlsClientError", () => {})
    const port = yield* listening(server, "127.0.0.1")
    return { port, requests }
  }
)

/** Starts a TCP server that passes each connection to the test. */
export const rawServer = Effect.fnUntraced(function* (onConnection: (socket: net.Socket) => void) {
  const port = yield* listening(net.createServer(onConnection), "127.0.0.1")
  return { port, url: `http://127.0.0.1:${port}/` }
})

/** Starts a server that answers the first bytes with `answer`, unchanged, and closes the connection. */
export const rawAnswer = (answer: string) =>
  rawServer((socket) => {
    socket.once("data", () => socket.end(answer))
  })

/** Builds the egress layer, for tests of invalid settings. */
export const built = (settings: Settings) => Layer.build(layerLoopback(settings))
