import { connect, createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"

/** Key and certificate in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** A proxy from a public port to the server. It terminates TLS, and its connections can be cut. */
export interface Wire {
  readonly port: number
  readonly cut: () => void
  readonly close: () => void
}

export const openWire = async (port: number, serverPort: number, certificate?: Certificate): Promise<Wire> => {
  const sockets = new Set<Socket>()
  const pipe = (socket: Socket, other: Socket): void => {
    sockets.add(socket)
    // Otherwise small frames wait for acknowledgements: 40 ms for each call.
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
    pipe(incoming, outgoing)
    pipe(outgoing, incoming)
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

/** Listens on the loopback address. Port 0 takes a free port. */
export const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })
