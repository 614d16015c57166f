import { createServer } from "node:https"
import { certificateOf } from "../../test/support/tls.ts"
import type { Arrivals, ArrivalsRequest } from "./messages.ts"

// Receives callbacks over TLS, in a separate process. Prints its two ports: the first answers immediately, the second
// accepts requests and never answers.

let arrivals: Array<readonly [string, number]> = []
let answerStatus = 200

const receiver = createServer(certificateOf("trusted"), (request, response) => {
  request.resume().on("end", () => {
    arrivals.push([String(request.headers["webhook-id"]), performance.timeOrigin + performance.now()])
    response.writeHead(answerStatus, { connection: "close" }).end()
  })
})
const tarPit = createServer(certificateOf("trusted"), (request) => void request.resume())

const portOf = (server: typeof receiver): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  )

process.stdout.write(`ports ${await portOf(receiver)} ${await portOf(tarPit)}\n`)

process.on("message", ({ status }: ArrivalsRequest) => {
  answerStatus = status ?? answerStatus
  const report: Arrivals = { arrivals }
  arrivals = []
  process.send?.(report)
})
