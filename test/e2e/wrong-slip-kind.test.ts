import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { WALLET_RECEIVER } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { type Answer, newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { RunningService } from "../support/service.ts"
import { layerShop, Shop } from "./given-shop-with-receiver.ts"

/** The QR text of a TrueMoney slip, and its picture. */
const walletSlip = Effect.gen(function* () {
  const { payload } = newSlip({ bank: "TRUEMONEY", receiver: WALLET_RECEIVER.index })
  return { payload, picture: Buffer.from(yield* drawSandboxSlip({ payload })) }
})

const NOT_FOUND = {
  code: "SLIP_NOT_FOUND",
  message: "Slip not found or invalid",
  detail: "This is a TrueMoney slip. Send its picture to POST /v2/verify/truewallet"
}
const NOT_A_WALLET = {
  code: "WRONG_SLIP_KIND",
  message: "This is the slip of a bank. Send it to POST /v2/verify/bank"
}

interface Job {
  readonly status: string
  readonly error?: object
}

const given = Effect.gen(function* () {
  const { admin, call } = yield* RunningService
  const { key, receiver } = yield* Shop
  const get = <Data>(path: string) => call<Data>("GET", path, { key })
  const post = <Data>(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    call<Data>("POST", path, { key, body, headers })

  /** Enqueues a slip, and returns its id and the error of its job when it has ended. */
  const endedJob = Effect.fnUntraced(function* (path: string, source: object) {
    const { data: { jobId }, text } = yield* post<{ readonly jobId: string }>(`${path}/async`, {
      ...source,
      callbackUrl: receiver.url
    })
    assert.isString(jobId, text)
    const { data } = yield* eventually(
      get<Job>(`/v2/verify/bank/jobs/${jobId}`),
      ({ data }) => data.status !== "pending"
    )
    return { jobId, error: data.error }
  })

  /** The error of the callback of a job. */
  const toldOf = (jobId: string) =>
    eventually(
      Effect.sync(() => receiver.arrivals.find((arrival) => arrival.jobId === jobId)),
      (arrival) => arrival !== undefined
    ).pipe(Effect.map((arrival): unknown => JSON.parse(arrival?.body ?? "{}")["error"]))

  const detailOf = (jobId: string) => get<object>(`/v2/verifications/${jobId}`)
  return { admin, get, post, endedJob, toldOf, detailOf }
})

const replayed = ({ headers }: Answer) => headers.get("idempotent-replayed")

layer.live(layerShop)("a slip of the other kind", (it) => {
  it.effect("from TrueMoney has the same error in the answer of a bank endpoint, in its replay, and in the history", function* () {
    const { get, post } = yield* given
    const { payload, picture } = yield* walletSlip
    for (const [index, body] of [{ payload }, { image: picture.toString("base64") }].entries()) {
      const headers = { "idempotency-key": `order ${index}` }
      const first = yield* post("/v2/verify/bank", body, headers)
      const again = yield* post("/v2/verify/bank", body, headers)
      assert.deepStrictEqual([first.status, first.error], [404, NOT_FOUND], first.text)
      assert.deepStrictEqual([again.status, again.text, replayed(again)], [404, first.text, "true"])
    }
    const listed = yield* eventually(
      get<{ readonly items: ReadonlyArray<{ readonly verificationId: string }> }>(
        "/v2/verifications?outcome=WRONG_SLIP_KIND"
      ),
      ({ data }) => data.items.length >= 2
    )
    const id = listed.data.items[0]?.verificationId
    const { data } = yield* get<object>(`/v2/verifications/${id}`)
    assert.deepInclude(data, { outcome: "WRONG_SLIP_KIND", error: NOT_FOUND })
  })

  it.effect("from TrueMoney has the same error in jobs and callbacks, also after its erasure", function* () {
    const { admin, detailOf, endedJob, get, toldOf } = yield* given
    const { payload, picture } = yield* walletSlip
    const { url } = yield* httpServer((_, response) => response.end(picture))
    for (const source of [{ payload }, { image: picture.toString("base64") }, { url }]) {
      const { error, jobId } = yield* endedJob("/v2/verify/bank", source)
      assert.deepStrictEqual(error, NOT_FOUND)
      assert.deepStrictEqual(yield* toldOf(jobId), NOT_FOUND)
      assert.deepInclude((yield* detailOf(jobId)).data, { outcome: "WRONG_SLIP_KIND", error: NOT_FOUND })

      const erased = yield* admin("POST", "/forget", { job: jobId })
      assert.strictEqual(erased.status, 200, erased.text)
      assert.deepStrictEqual((yield* get<Job>(`/v2/verify/bank/jobs/${jobId}`)).data.error, NOT_FOUND)
    }
  })

  it.effect("from a bank keeps its code on the TrueMoney endpoint and in its jobs", function* () {
    const { detailOf, endedJob, post, toldOf } = yield* given
    const picture = Buffer.from(yield* drawSandboxSlip(newSlip()))
    const answer = yield* post("/v2/verify/truewallet", { image: picture.toString("base64") })
    assert.deepStrictEqual([answer.status, answer.error], [400, NOT_A_WALLET], answer.text)
    const { url } = yield* httpServer((_, response) => response.end(picture))
    const { error, jobId } = yield* endedJob("/v2/verify/truewallet", { url })
    assert.deepStrictEqual(error, NOT_A_WALLET)
    assert.deepStrictEqual(yield* toldOf(jobId), NOT_A_WALLET)
    assert.deepInclude((yield* detailOf(jobId)).data, { outcome: "WRONG_SLIP_KIND", error: NOT_A_WALLET })
  })
})
