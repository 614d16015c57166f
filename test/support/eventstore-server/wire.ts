import { connect, createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"

/** Key and certificate in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** The way from a public port to the server behind it, which ends TLS and can be cut. */
export interface Wire {
  readonly port: number
  readonly cut: () => void
  readonly close: () => void
}

export const openWire = async (port: number, serverPort: number, certificate?: Certificate): Promise<Wire> => {
  const sockets = new Set<Socket>()
  const hold = (socket: Socket, other: Socket): void => {
    sockets.add(socket)
    // Small frames would wait for each other's acknowledgement: 40 ms a call.
    socket.setNoDelay(true)
    socket.on("error", () => {})
    socket.on("close", () => {
      sockets.delete(socket)
      other.destroy()
    })
    socket.pipe(other)
  }
  const accept = (incoming: Socket): void => {
    const outgoing = connect(serverPort, "127.0.0.1")
    hold(incoming, outgoing)
    hold(outgoing, incoming)
  }
  const server = certificate === undefined
    ? createServer(accept)
    : createTlsServer({ ...certificate, ALPNProtocols: ["h2"] }, accept)
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: await listen(server, port),
    cut,
    close: () => {
      server.close()
      cut()
    }
  }
}

/** Listens on the loopback address; port 0 takes a free one. */
export const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })
