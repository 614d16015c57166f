import { assert, describe, it } from "../support/it.ts"
import { Cause, Effect, Exit } from "effect"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { createServer } from "node:tls"
import { exchangeCallback } from "../../application/callbacks/send-callbacks.ts"
import { signingKey } from "../../sdk/webhook/signature.ts"
import { layerEgress } from "../../infrastructure/adapters/egress/layer.ts"
import {
  exampleBody,
  exampleJobId,
  exampleSecrets,
  type SignedCallback,
  signedCallback,
  type Signing
} from "../support/signed-callback.ts"
import { certificateOf, testAuthority } from "../support/tls.ts"
import { languages, startExample } from "./given-example.ts"

const { newest, previous, unrelated } = exampleSecrets

const send = (url: string, { body, headers }: SignedCallback) =>
  Effect.promise(async (signal) => {
    const response = await fetch(url, { method: "POST", headers, body, signal })
    await response.arrayBuffer()
    return response.status
  })

/** A callback of the service, changed in transit by `change`. */
const callback = (signing: Signing = {}, change: Partial<SignedCallback> = {}) =>
  Effect.promise(async () => ({ ...await signedCallback(signing), ...change }))

/** The egress settings for a receiver of the tests. */
const layerTestEgress = layerEgress({
  allowCidrs: ["127.0.0.0/8"],
  dnsServers: [],
  hosts: { "receiver.test": "127.0.0.1" },
  caFile: testAuthority.file,
  userAgent: "SlipTrail/test"
})

/** A TLS server with the trusted certificate. It forwards the bytes unchanged. */
const tlsInFrontOf = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const server = createServer(certificateOf("trusted"), (client) => {
        const receiver = connect(port, "127.0.0.1")
        sockets.add(client).add(receiver)
        for (const [from, to] of [[client, receiver], [receiver, client]] as const) {
          from.on("error", () => to.destroy())
          from.pipe(to)
        }
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, sockets }
    }),
    ({ server, sockets }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  ).pipe(Effect.map(({ server }) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }))

const otherBytes = new TextEncoder().encode(exampleBody().replace("SLIP_NOT_FOUND", "SLIP_FOUND_AS_WELL"))
const TEN_MINUTES = 10 * 60 * 1_000

for (const language of languages) {
  describe(`the receiver in ${language.name}`, () => {
    it.live("stores genuine callbacks once, byte for byte, and rejects all others", function* () {
      const { inbox, url } = yield* startExample(language, [newest, previous])
      const storedFiles = () => readdirSync(inbox)

      const genuine = yield* callback()
      const refused = [
        yield* callback({}, { body: otherBytes }),
        yield* callback({ secrets: [unrelated] }),
        yield* callback({ at: Date.now() - TEN_MINUTES }),
        yield* callback({ at: Date.now() + TEN_MINUTES }),
        yield* callback({}, { headers: { "content-type": "application/json" } }),
        yield* callback({}, { headers: { ...genuine.headers, "webhook-id": "another" } }),
        yield* callback({}, { headers: { ...genuine.headers, "webhook-signature": "v1,AAAA v2" } })
      ]
      for (const wrong of refused) {
        assert.strictEqual(yield* send(url, wrong), 401, JSON.stringify(wrong.headers))
        assert.deepStrictEqual(storedFiles(), [])
      }

      for (let times = 0; times < 2; times++) assert.strictEqual(yield* send(url, genuine), 200)
      assert.deepStrictEqual(storedFiles(), [`${exampleJobId}.json`])
      assert.deepStrictEqual(new Uint8Array(readFileSync(join(inbox, `${exampleJobId}.json`))), genuine.body)

      const other = "0f6d3a2b-6f6b-4c5e-9d53-7b0c8a8e1c4d"
      assert.strictEqual(yield* send(url, yield* callback({ jobId: other, secrets: [previous] })), 200)
      assert.sameMembers(storedFiles(), [`${exampleJobId}.json`, `${other}.json`])
    })

    it.live("accepts callbacks during a rotation with either secret", function* () {
      const duringOverlap = yield* callback({ secrets: [newest, previous] })
      for (const secret of [newest, previous]) {
        const { url } = yield* startExample(language, [secret])
        assert.strictEqual(yield* send(url, duringOverlap), 200)
      }
      const { url } = yield* startExample(language, [previous])
      assert.strictEqual(yield* send(url, yield* callback({ secrets: [newest] })), 401)
    })

    it.live("accepts callbacks of the service behind a TLS server", () =>
      Effect.gen(function* () {
        const { inbox, url } = yield* startExample(language, [newest, previous])
        const port = yield* tlsInFrontOf(Number(new URL(url).port))
        const body = new TextEncoder().encode(exampleBody())
        const outcomes = yield* Effect.forEach([newest, unrelated], (secret) =>
          Effect.gen(function* () {
            const keys = [yield* Effect.promise(() => signingKey(secret))] as const
            const { meaning, status } = yield* exchangeCallback({
              branchId: "branch-1",
              jobId: exampleJobId,
              url: `https://receiver.test:${port}/slips`,
              body,
              keys,
              timeoutMillis: 20_000,
              userAgent: "SlipTrail/test",
              signatureHeaders: [],
              isSandbox: true
            })
            return [meaning, status]
          }))
        assert.deepStrictEqual(outcomes, [["Delivered", 200], ["Rejected", 401]])
        assert.deepStrictEqual(new Uint8Array(readFileSync(join(inbox, `${exampleJobId}.json`))), body)
      }).pipe(Effect.provide(layerTestEgress), Effect.scoped))

    it.live("writes only into its inbox, and answers 500 when it cannot store a callback", function* () {
      const { inbox, url } = yield* startExample(language, [newest])
      const outsideInbox = JSON.stringify({ jobId: "../../0f6d3a2b-6f6b-4c5e-9d53-7b0c8a", status: "not_found" })
      assert.strictEqual(yield* send(url, yield* callback({ body: outsideInbox })), 400)
      assert.deepStrictEqual(readdirSync(inbox), [])
      rmSync(inbox, { recursive: true })
      assert.strictEqual(yield* send(url, yield* callback()), 500)
    })

    it.live.each(["", "whsec_"])("accepts no callback with the invalid secret %j", function* (secret) {
      const genuine = yield* callback()
      const { "webhook-id": id, "webhook-timestamp": timestamp } = genuine.headers
      const mac = createHmac("sha256", "").update(`${id}.${timestamp}.${exampleBody()}`).digest("base64")
      const forged = { ...genuine, headers: { ...genuine.headers, "webhook-signature": `v1,${mac}` } }
      const exit = yield* startExample(language, [secret]).pipe(
        Effect.flatMap(({ url }) => send(url, forged)),
        Effect.exit
      )
      // The receiver ends at once with the reason. In PHP, where each request starts it, it answers 500.
      if (Exit.isSuccess(exit)) assert.strictEqual(exit.value, 500)
      else assert.match(Cause.pretty(exit.cause), /WEBHOOK_SECRETS must contain/u)
    })
  })
}
