import { createServer, type IncomingMessage } from "node:http"
import { randomUUID } from "node:crypto"
import { type Faults, noFaults } from "./faults.ts"
import type { StreamLimits } from "./log.ts"
import type { TestServer } from "./server.ts"
import { listen } from "./wire.ts"

/**
 * The control port of a test server, over plain HTTP. `POST` with JSON:
 *
 * - `/faults` sets the given faults and clears the others
 * - `/cut` cuts every connection
 * - `/foreign` with `{ "stream", "count" }` appends events of another program
 * - `/truncate` with `{ "stream", "before" }` removes the events of a stream before a revision
 * - `/limit` with `{ "stream", "maxCount", "maxAgeMillis" }` hides older events of a stream
 * - `/soft-delete` with `{ "stream" }` deletes a stream until the next append
 * - `/delete` with `{ "stream" }` deletes a stream for ever
 */
export const openControl = async (port: number, server: TestServer) => {
  const http = createServer((request, response) => {
    const reply = (code: number) => response.writeHead(code).end()
    bodyOf(request).then((body) => reply(execute(server, request.url ?? "", body) ? 204 : 404), () => reply(400))
  })
  return { port: await listen(http, port), close: () => http.close() }
}

interface Body extends Partial<Faults>, StreamLimits {
  readonly stream?: string
  readonly count?: number
  readonly before?: number
}

const execute = ({ log, faultState }: TestServer, url: string, body: Body): boolean => {
  switch (url) {
    case "/faults":
      Object.assign(faultState.faults, noFaults(), body)
      return true
    case "/cut":
      faultState.cut()
      return true
    case "/foreign":
      for (let index = 0; index < (body.count ?? 1); index++) {
        const data = Buffer.from([index, 0, 255])
        const event = { id: randomUUID(), type: "OrderPlaced", contentType: "application/octet-stream", data }
        log.append(body.stream ?? "$stats", "any", [{ ...event, metadata: new Uint8Array() }])
      }
      return true
    case "/truncate":
      log.truncate(body.stream ?? "", body.before ?? 0)
      return true
    case "/limit":
      log.limit(body.stream ?? "", body)
      return true
    case "/soft-delete":
      log.softDelete(body.stream ?? "")
      return true
    case "/delete":
      log.delete(body.stream ?? "")
      return true
    default:
      return false
  }
}

const bodyOf = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as Body
}
