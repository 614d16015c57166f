import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { assertFailure, assertV1Failure } from "../e2e/assert-answer.ts"
import { given } from "../e2e/situations.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService } from "../support/service.ts"

/** No machine starts a reading thread within this time: every picture is too slow. */
const env = { PICTURE_TIMEOUT: "1 millis", VERIFY_RETRY_SCHEDULE: "1 hour", EGRESS_ALLOW_CIDRS: "127.0.0.0/8" }

const MESSAGE = "The picture could not be read in time: try again later"

const givenPicture = Effect.gen(function* () {
  const png = Buffer.from(yield* drawSandboxSlip(newSlip()))
  return { png, image: png.toString("base64") }
})

layer.live(layerRunningService(env))("a machine that is too slow for pictures", (it) => {
  it.effect("gives no verdict on a slip, and other branches are verified meanwhile", function* () {
    const own = yield* given()
    const other = yield* given()
    const { image } = yield* givenPicture
    for (const path of ["/v2/verify/bank", "/v2/decode", "/v2/verify/bank/async"]) {
      const answer = yield* own.call("POST", path, { key: own.key, body: { image } })
      assertFailure(answer, 503, "API_SERVER_ERROR", MESSAGE)
      assert.strictEqual(answer.headers.get("retry-after"), "5")
      assert.strictEqual((yield* other.verify(other.key, newSlip().payload)).status, 200)
    }
    const batch = yield* own.call("POST", "/v2/verify/bank/batch", { key: own.key, body: { slips: [{ image }] } })
    assertFailure(batch, 503, "API_SERVER_ERROR", MESSAGE)
    assertV1Failure(yield* own.call("POST", "/v1/verify", { key: own.key, body: { image } }), 503, "api_server_error")
  })

  it.effect("keeps the job of a picture's URL open until it can be read", function* () {
    const own = yield* given()
    const { png } = yield* givenPicture
    const { url } = yield* httpServer((_, response) =>
      response.writeHead(200, { "content-type": "image/png" }).end(png)
    )
    const accepted = yield* own.call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
      key: own.key,
      body: { url }
    })
    assert.strictEqual(accepted.status, 202, accepted.text)

    const job = own.call<{ readonly attempts: number; readonly status: string }>(
      "GET",
      `/v2/verify/bank/jobs/${accepted.data.jobId}`,
      { key: own.key }
    )
    const tried = yield* eventually(job, ({ data }) => data.attempts === 1)
    assert.strictEqual(tried.data.status, "pending")
  })
})
