import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { makeDurable } from "./durable.ts"
import type { Answer, BareReport, BareRequest } from "./messages.ts"

// The baseline, in a process of its own: node:http that parses the JSON of a request and answers JSON of the size that
// the service answers, and does nothing in between, or only what makes an answer durable.

process.once("message", ({ answer, log }: BareRequest) => {
  void serve(answer, log)
})

const serve = async (answer: Answer, log: string | undefined) => {
  const keep = log === undefined ? atOnce : await makeDurable(log)
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { payload } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly payload: string }
      keep(payload, answer.data, () => reply(answer, payload, request, response))
    })
  })
  server.keepAliveTimeout = 65_000
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const report: BareReport = { port: typeof address === "object" && address !== null ? address.port : 0 }
    process.send?.(report)
  })
}

const atOnce = (_payload: string, _said: unknown, done: () => void): void => done()

const reply = (answer: Answer, payload: string, request: IncomingMessage, response: ServerResponse): void => {
  const { data } = answer
  const body = JSON.stringify({ ...answer, data: { ...data, rawSlip: { ...data.rawSlip, payload } } })
  response.writeHead(request.method === "POST" ? 200 : 405, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body)
  })
  response.end(body)
}
