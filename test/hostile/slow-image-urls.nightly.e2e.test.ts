import { assert, layer } from "../support/it.ts"
import { Effect, Fiber } from "effect"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { given } from "../e2e/situations.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService } from "../support/service.ts"

/** A failed job is not tried again during the test. */
const env = { EGRESS_ALLOW_CIDRS: "127.0.0.0/8", VERIFY_RETRY_SCHEDULE: "1 hour" }

interface Job {
  readonly jobId: string
  readonly status: string
}

/** A server that never answers. */
const silentServer = httpServer(() => {})

const givenPictureServer = Effect.gen(function* () {
  const png = Buffer.from(yield* drawSandboxSlip(newSlip()))
  return yield* httpServer((_, response) => response.writeHead(200, { "content-type": "image/png" }).end(png))
})

layer.live(layerRunningService(env))("branches whose image URLs never answer", (it) => {
  it.effect("do not hold up the jobs and requests of another branch", function* () {
    const silent = yield* silentServer
    const pictures = yield* givenPictureServer
    const other = yield* given()
    for (let index = 0; index < 3; index++) {
      const attacker = yield* given()
      const slips = Array.from({ length: 100 }, (_, slip) => ({ url: `${silent.url}?${slip}` }))
      const batch = yield* attacker.call("POST", "/v2/verify/bank/batch", { key: attacker.key, body: { slips } })
      assert.strictEqual(batch.status, 202, batch.text)
    }

    for (const body of [{ url: pictures.url }, { payload: newSlip().payload }]) {
      const answer = yield* other.verify(other.key, body)
      assert.strictEqual(answer.status, 200, answer.text)
      const accepted = yield* other.call<Job>("POST", "/v2/verify/bank/async", { key: other.key, body })
      const job = other.call<Job>("GET", `/v2/verify/bank/jobs/${accepted.data.jobId}`, { key: other.key })
      assert.strictEqual((yield* eventually(job, ({ data }) => data.status !== "pending")).data.status, "success")
    }
  })

  it.effect("are refused beyond their share of the fetches", function* () {
    const silent = yield* silentServer
    const pictures = yield* givenPictureServer
    const attacker = yield* given()
    const other = yield* given()
    const send = attacker.call("POST", "/v2/decode", { key: attacker.key, body: { url: silent.url } })
    const flood = yield* Effect.forEach(
      Array.from({ length: 24 }),
      () => Effect.forkChild(send, { startImmediately: true })
    )

    const answer = yield* other.verify(other.key, { url: pictures.url })
    assert.strictEqual(answer.status, 200, answer.text)

    const answers = yield* Effect.forEach(flood, (fiber) => Fiber.join(fiber))
    const refused = answers.filter(({ status }) => status === 429)
    assert.isNotEmpty(refused)
    for (const { error, headers } of refused) {
      assert.strictEqual(error?.code, "RATE_LIMIT_EXCEEDED")
      assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
    }
  })
})
