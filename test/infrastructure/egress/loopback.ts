import http from "node:http"
import https from "node:https"
import net from "node:net"
import { Effect, Layer, type Scope } from "effect"
import { Egress, type EgressRequest } from "../../../application/ports/egress.ts"
import type { EgressSettings } from "../../../infrastructure/egress/egress-settings.ts"
import { layerEgress } from "../../../infrastructure/egress/layer.ts"
import type { Lookup } from "../../../infrastructure/egress/resolve.ts"
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

/** A server that runs until the test ends; connections still open then are cut. */
const listening = (server: net.Server, address: string): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly sockets: Set<net.Socket> }>((resume) => {
      const sockets = new Set<net.Socket>()
      server.on("connection", (socket: net.Socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
      })
      server.listen(0, address, () => {
        const bound = server.address()
        resume(
          bound === null || typeof bound === "string"
            ? Effect.die("not bound to a port")
            : Effect.succeed({ port: bound.port, sockets })
        )
      })
    }),
    ({ sockets }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  ).pipe(Effect.map(({ port }) => port))

/** What a test's server was asked. */
export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

type Handler = (asked: Asked, response: http.ServerResponse) => void

const recording = (asked: Array<Asked>, handler: Handler): http.RequestListener => (message, response) => {
  const chunks: Array<string> = []
  message.setEncoding("utf8")
  message.on("data", (chunk: string) => chunks.push(chunk))
  message.on("end", () => {
    const { method = "", url = "", headers } = message
    const it = { method, url, headers, body: chunks.join("") }
    asked.push(it)
    handler(it, response)
  })
}

/** An HTTP server on loopback: where it is, and what it was asked so far. */
export const httpServer = Effect.fnUntraced(function*(handler: Handler, address = "127.0.0.1") {
  const asked: Array<Asked> = []
  const port = yield* listening(http.createServer(recording(asked, handler)), address)
  return { port, url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`, asked }
})

/** An HTTPS server on loopback with a certificate of the test authority, or a worse one. */
export const httpsServer = Effect.fnUntraced(
  function*(handler: Handler, certificate: Parameters<typeof certificateOf>[0] = "trusted") {
    const asked: Array<Asked> = []
    const server = https.createServer(certificateOf(certificate), recording(asked, handler))
    // A client that refuses the certificate is what some tests are about.
    server.on("tlsClientError", () => {})
    const port = yield* listening(server, "127.0.0.1")
    return { port, asked }
  }
)

/** A server without any manners: it does with a connection what the test says. */
export const rawServer = Effect.fnUntraced(function*(onConnection: (socket: net.Socket) => void) {
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
