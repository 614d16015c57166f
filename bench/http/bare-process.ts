import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { makeDurable } from "./durable.ts"
import type { Answer, BareReport, BareRequest } from "./messages.ts"

// The baseline, in a separate process: node:http parses a JSON request and answers JSON of the same size as the
// service. In between it does nothing, or only makes the answer durable.

process.once("message", ({ answer, log }: BareRequest) => {
  void serve(answer, log)
})

const serve = async (answer: Answer, log: string | undefined) => {
  const store = log === undefined ? storeNothing : await makeDurable(log)
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { payload } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly payload: string }
      store(payload, answer.data, () => reply(answer, payload, request, response))
    })
  })
  server.keepAliveTimeout = 65_000
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const report: BareReport = { port: typeof address === "object" && address !== null ? address.port : 0 }
    process.send?.(report)
  })
}

const storeNothing = (_payload: string, _data: unknown, done: () => void): void => done()

const reply = (answer: Answer, payload: string, request: IncomingMessage, response: ServerResponse): void => {
  const { data } = answer
  const body = JSON.stringify({ ...answer, data: { ...data, rawSlip: { ...data.rawSlip, payload } } })
  response.writeHead(request.method === "POST" ? 200 : 405, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body)
  })
  response.end(body)
}
