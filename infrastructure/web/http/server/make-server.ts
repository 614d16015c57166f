import { randomUUID } from "node:crypto"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { type ConnectionLimits, limitConnections } from "./connection-limits.ts"
import { v2Failures } from "../../api/failures.ts"
import { onEveryRequest } from "./expect-continue.ts"

/** Time limits of a connection, in milliseconds. */
export interface TimeLimits {
  /** Without a byte, while it has no request yet, or an answer that its peer does not read. */
  readonly inactive: number
  /** From an answer to the next request. */
  readonly keepAlive: number
  /** For receiving the headers. */
  readonly headers: number
  /** For receiving the whole request with its body. */
  readonly request: number
  /** How often the two limits above are checked. */
  readonly check: number
  /** For reading the answer to bytes that are not valid HTTP. */
  readonly linger: number
}

export const timeLimits: TimeLimits = {
  inactive: 30_000,
  // Longer than the keep-alive time of proxies. Otherwise a proxy may send a request on a closing connection.
  keepAlive: 65_000,
  headers: 20_000,
  request: 60_000,
  check: 5_000,
  linger: 1_000
}

const NO_LIMITS: ConnectionLimits = { total: Infinity, perAddress: Infinity, proxies: [] }

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The path or the headers are too long",
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive"
}

const bodyOf = (message: string): string => {
  const code = "VALIDATION_ERROR"
  return JSON.stringify(
    { success: false, error: { code, message: v2Failures[code].message, issues: [{ path: "", message }] } }
  )
}

/** A connection with its current response. Node's own handler of client errors reads the same field. */
type Connection = Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } | null }

/** Answers bytes that are not valid HTTP, in the envelope of v2, and closes the connection. They reach no route. */
const answerClientError = (lingerMillis: number) => (error: Error & { readonly code?: string }, socket: Connection) => {
  // After the headers of an answer, a second answer would corrupt it.
  const hasSentHeaders = socket._httpMessage?.headersSent === true
  if (error.code === "ECONNRESET" || !socket.writable || hasSentHeaders) {
    socket.destroy()
    return
  }
  // Many peers never close their side: without this the connection would stay open.
  const linger = setTimeout(() => socket.destroy(), lingerMillis)
  socket.once("close", () => clearTimeout(linger))
  const body = bodyOf(messages[error.code ?? ""] ?? "The request is not valid HTTP")
  socket.end([
    "HTTP/1.1 400 Bad Request",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `X-Request-Id: ${randomUUID()}`,
    "Connection: close",
    "",
    body
  ].join("\r\n"))
}

/** The HTTP server that runs the routes. */
export const makeServer = (limits: ConnectionLimits = NO_LIMITS, times: TimeLimits = timeLimits): Server => {
  const server = createServer({
    keepAliveTimeout: times.keepAlive,
    headersTimeout: times.headers,
    requestTimeout: times.request,
    connectionsCheckingInterval: times.check,
    // An upgrade takes the connection from the time limits, also while its body is read. Node 24.9 and Deno ask this.
    shouldUpgradeCallback: () => false,
    // Node's own refusal of a request without a Host header has no envelope. The route answers instead.
    requireHostHeader: false
  })
  drainConnections(server)
  limitConnections(server, limits, times.inactive)
  server.on("clientError", answerClientError(times.linger))
  // Unknown `Expect` headers are ignored: the route answers the request.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}

/**
 * Makes a closing server send `Connection: close` with the last answer of each connection. Otherwise a caller on a
 * keep-alive connection is served until the end and then cut off in the middle of an answer.
 */
export const drainConnections = (server: Server): void => {
  /**
   * The newest answer of each connection, also when it has ended. A set of the answers in flight would change with every
   * request: each of its tables points to the next one, and keeps ended requests alive for seconds.
   */
  const newest = new Map<Socket, ServerResponse>()
  const close = server.close.bind(server)
  let isClosing = false

  const announceClose = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader("connection", "close")
  }

  server.on("connection", (socket: Socket) => {
    socket.once("close", () => newest.delete(socket))
  })
  onEveryRequest(server, ({ socket }, response) => {
    newest.set(socket, response)
    response.once("close", () => {
      // Headers that were sent before the close could not announce it.
      if (isClosing) server.closeIdleConnections()
    })
    if (isClosing) announceClose(response)
  })

  server.close = (done) => {
    isClosing = true
    for (const response of newest.values()) announceClose(response)
    return close(done)
  }
}
