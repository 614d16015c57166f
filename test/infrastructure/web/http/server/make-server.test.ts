import { assert, describe, it } from "@effect/vitest"
import { Duplex } from "node:stream"
import { makeServer } from "../../../../../infrastructure/web/http/server/make-server.ts"

/** A connection that records what is written to it. */
const connection = () => {
  const written: Array<string> = []
  const socket = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk.toString())
      done()
    }
  })
  return { socket, written }
}

const fault = (code: string): Error => Object.assign(new Error(code), { code })

describe("the server", () => {
  it.each([
    ["HPE_INVALID_METHOD", "The request is not valid HTTP"],
    ["HPE_HEADER_OVERFLOW", "The path or the headers are too long"],
    ["ERR_HTTP_REQUEST_TIMEOUT", "The request took too long to arrive"]
  ])("answers an unreadable request with the envelope and closes the connection: %s", (code, message) => {
    const server = makeServer()
    const { socket, written } = connection()

    server.emit("clientError", fault(code), socket)

    const [head = "", body = ""] = written.join("").split("\r\n\r\n")
    assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/u)
    assert.match(head, /\r\nContent-Type: application\/json\r\n/u)
    assert.match(head, /\r\nX-Request-Id: [0-9a-f-]{36}\r\n/u)
    assert.match(head, /\r\nConnection: close$/u)
    assert.include(head, `Content-Length: ${Buffer.byteLength(body)}`)
    assert.deepStrictEqual(JSON.parse(body), {
      success: false,
      error: { code: "VALIDATION_ERROR", message: "Validation failed", issues: [{ path: "", message }] }
    })
    assert.isTrue(socket.writableEnded)
  })

  it("writes nothing to a reset connection, or during an answer", () => {
    const server = makeServer()
    const reset = connection()
    server.emit("clientError", fault("ECONNRESET"), reset.socket)
    const answering = connection()
    server.emit(
      "clientError",
      fault("HPE_INVALID_METHOD"),
      Object.assign(answering.socket, { _httpMessage: { headersSent: true } })
    )

    assert.deepStrictEqual([...reset.written, ...answering.written], [])
    assert.isTrue(reset.socket.destroyed && answering.socket.destroyed)
  })

  it("limits the time for headers and body", () => {
    const server = makeServer()
    assert.isTrue(server.headersTimeout > 0 && server.headersTimeout <= server.requestTimeout)
    assert.isTrue(server.requestTimeout > 0 && server.requestTimeout <= 60_000)
  })
})
