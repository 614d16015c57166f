import { assert, describe, it } from "@effect/vitest"
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { once } from "node:events"
import { type AddressInfo, connect } from "node:net"
import { text } from "node:stream/consumers"
import { drainConnections } from "../../../../infrastructure/web/http/server/make-server.ts"

/** A server whose answers the test writes, and a client with keep-alive connections. */
const given = async () => {
  const server = createServer()
  drainConnections(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = () => {
    const clientRequest = request({ port, host: "127.0.0.1", agent }).end()
    return new Promise<IncomingMessage>((resolve, reject) => {
      clientRequest.once("response", resolve).once("error", reject)
    })
  }
  const nextCall = async (): Promise<ServerResponse> => (await once(server, "request"))[1]
  return { agent, send, nextCall, server }
}

describe("connection draining", () => {
  it("closes each connection after its answer in flight, and the server after the last one", async () => {
    const { send, nextCall, server } = await given()
    const answer = send()
    const call = await nextCall()
    const closed = once(server, "close")
    server.close()
    call.writeHead(200, { "content-type": "text/plain" }).end("here you are")
    const { headers, statusCode } = await answer
    assert.deepStrictEqual([statusCode, headers.connection, headers["content-type"]], [200, "close", "text/plain"])
    await closed
  })

  it("closes a connection whose answer started before", async () => {
    const { agent, send, nextCall, server } = await given()
    const answer = send()
    const call = await nextCall()
    call.writeHead(200)
    call.write("some of it")
    const { headers } = await answer
    assert.strictEqual(headers.connection, "keep-alive")
    const closed = once(server, "close")
    server.close()
    call.end("and the rest")
    await closed
    agent.destroy()
  })

  it("answers every request of a pipeline, and closes after the last answer", async () => {
    const { server } = await given()
    const calls: Array<ServerResponse> = []
    const received = new Promise<void>((resolve) => {
      server.on("request", (_, call: ServerResponse) => calls.push(call) === 2 && resolve())
    })
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    const request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    socket.write(request + request)
    await received
    server.close()
    calls.forEach((call, index) => call.end(`answer ${index}`))
    assert.match(await text(socket), /Connection: keep-alive[^]*answer 0[^]*connection: close[^]*answer 1$/u)
  })

  it("closes a connection whose request expects 100 Continue", async () => {
    const { server } = await given()
    const { port } = server.address() as AddressInfo
    const socket = connect(port, "127.0.0.1")
    const expected = once(server, "checkContinue")
    socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n")
    const call: ServerResponse = (await expected)[1]
    server.close()
    call.end("here you are")
    assert.match(await text(socket), /connection: close[^]*here you are$/iu)
  })

  it("keeps connections open before the server is closed", async () => {
    const { agent, send, nextCall, server } = await given()
    for (let turn = 0; turn < 2; turn++) {
      const answer = send()
      const call = await nextCall()
      call.end("here you are")
      const { headers } = await answer.then((message) => message.resume())
      assert.strictEqual(headers.connection, "keep-alive")
    }
    agent.destroy()
    server.close()
    await once(server, "close")
  })
})
