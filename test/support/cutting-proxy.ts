import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface CuttingProxy {
  readonly port: number
  /** Drops the server's next answer and closes the connection. The command took effect, but the client gets no answer. */
  readonly swallowNext: Effect.Effect<void>
}

/** A proxy to a server on 127.0.0.1, until the scope is closed. */
export const startCuttingProxy = (serverPort: number): Effect.Effect<CuttingProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    let isSwallowing = false
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      const upstream = connect(serverPort, "127.0.0.1")
      const cut = () => {
        client.destroy()
        upstream.destroy()
      }
      client.on("data", (data) => upstream.write(data))
      upstream.on("data", (data) => {
        if (!isSwallowing) return void client.write(data)
        isSwallowing = false
        cut()
      })
      for (const socket of [client, upstream]) {
        sockets.add(socket)
        socket.on("error", cut)
        socket.on("close", () => {
          sockets.delete(socket)
          cut()
        })
      }
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
      () =>
        Effect.promise(async () => {
          for (const socket of sockets) socket.destroy()
          server.close()
          await once(server, "close")
        })
    )
    const address = server.address()
    return {
      port: typeof address === "object" && address !== null ? address.port : 0,
      swallowNext: Effect.sync(() => {
        isSwallowing = true
      })
    }
  })
