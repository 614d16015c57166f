import { createServer } from "node:https"
import { certificateOf } from "../../support/tls.ts"
import type { Arrivals, ArrivalsRequest } from "./messages.ts"

// Receives callbacks over TLS, in a process of its own. Prints its two ports: one answers at once, the other one takes
// everything and never answers.

let arrivals: Array<readonly [string, number]> = []
let answer = 200

const good = createServer(certificateOf("trusted"), (request, response) => {
  request.resume().on("end", () => {
    arrivals.push([String(request.headers["webhook-id"]), performance.timeOrigin + performance.now()])
    response.writeHead(answer, { connection: "close" }).end()
  })
})
const tarPit = createServer(certificateOf("trusted"), (request) => void request.resume())

const portOf = (server: typeof good): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  )

process.stdout.write(`ports ${await portOf(good)} ${await portOf(tarPit)}\n`)

process.on("message", ({ status }: ArrivalsRequest) => {
  answer = status ?? answer
  const report: Arrivals = { arrivals }
  arrivals = []
  process.send?.(report)
})
