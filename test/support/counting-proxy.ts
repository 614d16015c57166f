import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

/** Forwards connections on loopback to a service, and counts the bytes that the service sends. */
export const countingProxy = Effect.fnUntraced(function* (target: string) {
  const { port: targetPort } = new URL(target)
  const sockets = new Set<Socket>()
  let bytes = 0
  const server = createServer((client) => {
    const service = connect(Number(targetPort), "127.0.0.1")
    service.on("data", (chunk) => {
      bytes += chunk.length
    })
    client.pipe(service)
    service.pipe(client)
    for (const [socket, other] of [[client, service], [service, client]] as const) {
      sockets.add(socket)
      socket.on("error", () => other.destroy())
      socket.on("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(() =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          for (const socket of sockets) socket.destroy()
        })
      )
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, bytes: () => bytes }
})
