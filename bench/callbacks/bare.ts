import { Effect } from "effect"
import https from "node:https"
import { type ConnectionOptions, createSecureContext } from "node:tls"
import { testAuthority } from "../../test/support/tls.ts"
import { BenchError } from "../figure.ts"

const COUNT = 2_000
const CONCURRENCY = 8
const body = JSON.stringify({ jobId: "bench", status: "success", data: "x".repeat(1_000) })

const secureContext = createSecureContext({ ca: testAuthority.certificate })

const post = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const options: https.RequestOptions & Pick<ConnectionOptions, "secureContext"> = {
      host: "127.0.0.1",
      port,
      method: "POST",
      path: "/",
      servername: "receiver.test",
      secureContext,
      agent: false,
      headers: { "content-type": "application/json", "content-length": body.length }
    }
    const request = https.request(options, (response) => response.resume().on("end", resolve))
    request.on("error", reject)
    request.end(body)
  })

/** Posts per second of node:https alone, each on a new connection, with as many in parallel as the service. */
export const bareCallbacks = (port: number) =>
  Effect.tryPromise({
    try: async () => {
      const started = performance.now()
      let left = COUNT
      await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
        while (left-- > 0) await post(port)
      }))
      return COUNT / (performance.now() - started) * 1_000
    },
    catch: (cause) => new BenchError({ message: `the receiver was not reached: ${String(cause)}` })
  })
