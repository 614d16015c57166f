import { randomUUID } from "node:crypto"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { v2Failures } from "./api/failures.ts"

/** Longer than the proxies in front keep theirs, so that none sends a request into a connection that is closing. */
const KEEP_ALIVE_MILLIS = 65_000

/** Limits for the headers, and for the whole request with its body. */
const HEADERS_MILLIS = 20_000
const REQUEST_MILLIS = 60_000

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

/** A connection with the answer that is under way on it, as Node's own handling of such faults looks at it. */
type Connection = Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } | null }

/** What can't be read as HTTP reaches no route; it gets the envelope all the same, and its connection is closed. */
const refuse = (error: Error & { readonly code?: string }, socket: Connection): void => {
  // In the middle of an answer there is no place for another one.
  const isAnswering = socket._httpMessage?.headersSent === true
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
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

/** The HTTP server beneath the routes. */
export const makeServer = (): Server => {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    headersTimeout: HEADERS_MILLIS,
    requestTimeout: REQUEST_MILLIS,
    // A request without a Host header is answered by its route; the runtime's own refusal has no envelope.
    requireHostHeader: false
  })
  drainConnections(server)
  server.on("clientError", refuse)
  // Unknown `Expect` headers are ignored: the route answers the request.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server
}

/**
 * Makes a closing server send `Connection: close` with answers in flight and with every later answer. Otherwise a caller
 * on a keep-alive connection is served until the end and then cut off in the middle of an answer.
 */
export const drainConnections = (server: Server): void => {
  const inFlight = new Set<ServerResponse>()
  const close = server.close.bind(server)
  let isClosing = false

  const announceClose = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader("connection", "close")
  }

  server.on("request", (_, response: ServerResponse) => {
    inFlight.add(response)
    response.once("close", () => {
      inFlight.delete(response)
      // Headers that were sent before the close could not announce it.
      if (isClosing) server.closeIdleConnections()
    })
    if (isClosing) announceClose(response)
  })

  server.close = (done) => {
    isClosing = true
    for (const response of inFlight) announceClose(response)
    return close(done)
  }
}
