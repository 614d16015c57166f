import { Effect, type Scope } from "effect"
import { createServer } from "node:https"
import { once } from "node:events"
import { isServiceSignature } from "../../sdk/webhook/signature.ts"
import { certificateOf, testAuthority } from "./tls.ts"

/** One received callback with the status of the answer. */
export interface Arrival {
  readonly jobId: string
  readonly body: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly status: number
}

export interface CallbackReceiver {
  readonly url: string
  readonly arrivals: ReadonlyArray<Arrival>
  /** The settings with which a service reaches the receiver. */
  readonly env: Readonly<Record<string, string>>
}

/** A receiver over TLS that records all callbacks. `answer` returns the status for a callback, by default 200. */
export const startCallbackReceiver = (
  answer: (jobId: string, earlier: number) => number = () => 200
): Effect.Effect<CallbackReceiver, never, Scope.Scope> =>
  Effect.gen(function* () {
    const arrivals: Array<Arrival> = []
    const attempts = new Map<string, number>()
    const server = createServer(certificateOf("trusted"), (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const jobId = String(request.headers["webhook-id"])
        const earlier = attempts.get(jobId) ?? 0
        const status = answer(jobId, earlier)
        attempts.set(jobId, earlier + 1)
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, value?.toString()])
        )
        arrivals.push({ jobId, body: Buffer.concat(chunks).toString("utf8"), headers, status })
        response.writeHead(status).end()
      })
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      url: `https://receiver.test:${port}/callbacks`,
      arrivals,
      env: {
        EGRESS_CA_FILE: testAuthority.file,
        EGRESS_HOSTS: "receiver.test=127.0.0.1",
        EGRESS_ALLOW_CIDRS: "127.0.0.0/8"
      }
    }
  })

/** Whether a callback is signed with the secret, over exactly the received bytes. */
export const isSigned = ({ body, headers }: Arrival, secret: string): Promise<boolean> =>
  isServiceSignature(headers["x-service-signature"] ?? "", body, [secret])
