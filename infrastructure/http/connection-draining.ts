import type { Server, ServerResponse } from "node:http"

/**
 * Lets a server that is told to close say so: answers that are under way then, and those to whatever still comes on a
 * connection, end their connection. Without it a caller that keeps asking on one would be served until the last moment,
 * and then be cut off in the middle of an answer, instead of going elsewhere.
 */
export const sayFarewell = (server: Server): void => {
  const underWay = new Set<ServerResponse>()
  const close = server.close.bind(server)
  let isClosing = false

  const isLast = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader("connection", "close")
  }

  server.on("request", (_, response: ServerResponse) => {
    underWay.add(response)
    response.once("close", () => {
      underWay.delete(response)
      // One that had begun before could not say it.
      if (isClosing) server.closeIdleConnections()
    })
    if (isClosing) isLast(response)
  })

  server.close = (done) => {
    isClosing = true
    for (const response of underWay) isLast(response)
    return close(done)
  }
}
