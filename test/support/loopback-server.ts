import type http from "node:http"
import type net from "node:net"
import { Effect, type Scope } from "effect"

/** Runs a server until the test ends. Open connections are then cut. */
export const listening = (server: net.Server, address: string): Effect.Effect<number, never, Scope.Scope> =>
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

/** A request that a test's server received. */
export interface RecordedRequest {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export type Handler = (request: RecordedRequest, response: http.ServerResponse) => void

export const recording =
  (requests: Array<RecordedRequest>, handler: Handler): http.RequestListener => (message, response) => {
    const chunks: Array<string> = []
    message.setEncoding("utf8")
    message.on("data", (chunk: string) => chunks.push(chunk))
    message.on("end", () => {
      const { method = "", url = "", headers } = message
      const request = { method, url, headers, body: chunks.join("") }
      requests.push(request)
      handler(request, response)
    })
  }
