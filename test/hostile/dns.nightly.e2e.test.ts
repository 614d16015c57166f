import { assert, describe, it } from "../support/it.ts"
import { Effect } from "effect"
import type { job } from "../../application/jobs/job-view.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { startCallbackReceiver } from "../support/callback-receiver.ts"
import { newSlip } from "../support/client.ts"
import { startDnsServer } from "../support/dns-server.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

/** The attacker's requests that run at the same time. */
const REQUESTS = 64

type Job = Effect.Success<ReturnType<typeof job>>

/** Requests with names that never resolve: image URLs, callbacks, and images of jobs. They go on until interrupted. */
const attack = Effect.fnUntraced(function* (key: string, answers: Array<{ status: number; code: string | undefined }>) {
  const { call, verify } = yield* RunningService
  let count = 0
  const name = () => `${count++}.hole.test`
  const later = (body: object) => call("POST", "/v2/verify/bank/async", { key, body })
  yield* Effect.all(
    [
      ...Array.from(
        { length: REQUESTS },
        () =>
          Effect.suspend(() => verify(key, { url: `http://${name()}/slip.png` })).pipe(
            Effect.tap(({ error, headers, status }) =>
              Effect.sync(() => {
                answers.push({ status, code: error?.code })
                if (status === 429) assert.strictEqual(headers.get("retry-after"), "5")
              })
            ),
            Effect.forever
          )
      ),
      Effect.forever(Effect.suspend(() => later({ url: `http://${name()}/slip.png` }))),
      Effect.forever(
        Effect.suspend(() => later({ payload: newSlip().payload, callbackUrl: `https://${name()}/callbacks` }))
      )
    ],
    { concurrency: "unbounded", discard: true }
  )
})

describe("a branch whose host names never resolve", () => {
  it.live("does not delay image URLs and callbacks of another branch", function* () {
    const dns = yield* startDnsServer(({ name, type }) => {
      if (name.endsWith("hole.test")) return undefined
      return type === "A" ? ["127.0.0.1"] : []
    })
    const receiver = yield* startCallbackReceiver()
    const slip = newSlip()
    const png = Buffer.from(yield* drawSandboxSlip(slip))
    const images = yield* httpServer((_, response) => response.end(png))

    yield* Effect.gen(function* () {
      const { call, createService, verify } = yield* RunningService
      const hostile = (yield* createService()).mainBranch
      const shop = (yield* createService()).mainBranch
      const answers: Array<{ status: number; code: string | undefined }> = []
      yield* Effect.forkScoped(attack(hostile.apiKey, answers))
      const holes = Effect.sync(() => new Set(dns.questions.map(({ name }) => name)).size)
      yield* eventually(holes, (count) => count >= 16)

      const image = `http://images.test:${images.port}/slip.png`
      const callbackUrl = receiver.url
      for (let round = 0; round < 3; round++) {
        const verified = yield* verify(shop.apiKey, { url: image })
        assert.strictEqual(verified.data?.rawSlip.transRef, slip.transRef, verified.text)
        const accepted = yield* call<{ jobId: string }>("POST", "/v2/verify/bank/async", {
          key: shop.apiKey,
          body: { url: image, callbackUrl }
        })
        assert.strictEqual(accepted.status, 202, accepted.text)
        const path = `/v2/verify/bank/jobs/${accepted.data.jobId}`
        const ended = yield* eventually(
          call<Job>("GET", path, { key: shop.apiKey }),
          ({ data }) => data.callback.state !== "pending"
        )
        assert.strictEqual(ended.data.callback.state, "delivered", ended.text)
        assert.strictEqual(ended.data.callback.attempts, 1)
      }

      // The attacker's own requests are refused, and the service stays ready.
      yield* eventually(Effect.sync(() => answers.length), (count) => count >= REQUESTS)
      const codes = new Set(answers.map(({ code }) => code))
      assert.includeMembers(["IMAGE_URL_UNREACHABLE", "RATE_LIMIT_EXCEEDED"], [...codes].map(String))
      assert.isTrue(codes.has("RATE_LIMIT_EXCEEDED"), "more lookups wait than a branch may have")
      assert.strictEqual((yield* call("GET", "/health/ready")).status, 200)
    }).pipe(Effect.provide(layerRunningService({
      ...receiver.env,
      EGRESS_HOSTS: "",
      EGRESS_DNS_SERVERS: dns.address
    })))
  })
})
