import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import type { batch, job } from "../../application/jobs/job-view.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { type Answer, newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertEnvelope, assertFailure, assertInvalid } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop.ts"

const env = { ROLES: "http,projector", EGRESS_HOSTS: "shop.example=93.184.215.14,inside.example=10.0.0.7" }

interface Accepted {
  readonly batchId: string
  readonly jobs: ReadonlyArray<{ readonly index: number; readonly jobId: string }>
}

const post = Effect.fnUntraced(function* (body: unknown, key?: string) {
  const { call } = yield* RunningService
  return yield* call<Accepted>("POST", "/v2/verify/bank/batch", { key: key ?? (yield* Shop).key, body })
})

const get = Effect.fnUntraced(function* <Data>(path: string, key?: string) {
  const { call } = yield* RunningService
  return yield* call<Data>("GET", `/v2/verify/bank/${path}`, { key: key ?? (yield* Shop).key })
})

const slips = (count: number) => Array.from({ length: count }, () => ({ payload: newSlip().payload }))

/** Checks a failure for this code and exactly these field paths. */
const assertCodeAtPaths = (answer: Answer, code: string, ...paths: ReadonlyArray<string>): void => {
  assertEnvelope(answer)
  assert.deepStrictEqual([answer.status, answer.error?.code], [400, code], answer.text)
  assert.deepStrictEqual(answer.error?.issues?.map(({ path }) => path), paths, answer.text)
}

layer.live(layerShop(env))("POST /v2/verify/bank/batch", (it) => {
  it.effect("accepts a hundred slips with 202; the batch and its jobs are readable immediately", function* () {
    const accepted = yield* post({ slips: slips(100), callbackUrl: "https://shop.example/told" })
    assertEnvelope(accepted)
    assert.strictEqual(accepted.status, 202)
    const { batchId, jobs } = accepted.data
    assert.deepStrictEqual(jobs.map(({ index }) => index), Array.from({ length: 100 }, (_, index) => index))

    const { data } = yield* get<Effect.Success<ReturnType<typeof batch>>>(`batches/${batchId.toUpperCase()}`)
    const { createdAt, ...others } = data
    assert.match(createdAt, /Z$/u)
    assert.deepStrictEqual(others, {
      batchId,
      size: 100,
      counts: { pending: 100, success: 0, not_found: 0 },
      jobs: jobs.map((accepted) => ({ ...accepted, status: "pending" as const }))
    })
    const last = yield* get<Effect.Success<ReturnType<typeof job>>>(`jobs/${jobs[99]?.jobId}`)
    assert.deepInclude(last.data, { batchId, status: "pending" })
    assert.strictEqual(last.data.callback.url, "https://shop.example/told")
  })

  it.effect("prefers a slip's own callbackUrl, and accepts pictures and payloads", function* () {
    const png = Buffer.from(yield* drawSandboxSlip(newSlip())).toString("base64")
    const own = { image: png, remark: null, callbackUrl: "https://shop.example/own" }
    const { data, status } = yield* post({ slips: [...slips(1), own], callbackUrl: "https://shop.example/told" })
    assert.strictEqual(status, 202)
    const urls = yield* Effect.forEach(
      data.jobs,
      ({ jobId }) => get<Effect.Success<ReturnType<typeof job>>>(`jobs/${jobId}`)
    )
    assert.deepStrictEqual(
      urls.map(({ data: { callback } }) => callback.url),
      [
        "https://shop.example/told",
        "https://shop.example/own"
      ]
    )
  })

  it.effect("accepts 1 to 100 slips", function* () {
    assert.strictEqual((yield* post({ slips: slips(1) })).status, 202)
    for (const body of [{}, { slips: null }, { slips: [] }, { slips: slips(101) }, { slips: {} }, { slips: "x" }]) {
      assertInvalid(yield* post(body), "slips")
    }
    assertInvalid(yield* post("[]"), "")
  })

  it.effect("names every invalid field, and accepts nothing then", function* () {
    const { createService } = yield* RunningService
    const { mainBranch: { apiKey: key } } = yield* createService({ quota: 4 })
    const good = slips(1)[0]
    const conditions = { amount: { equals: 1, atLeast: 1 } }
    const bad = [good, { ...good, matchAmount: -1, remark: 7 }, {}, { ...good, matchAmount: 0.001, conditions }]
    assertInvalid(
      yield* post({ slips: bad }, key),
      "slips.1.remark",
      "slips.1.matchAmount",
      "slips.2",
      "slips.3.matchAmount",
      "slips.3.conditions.amount.equals"
    )
    assertInvalid(yield* post({ slips: [good, 7, null, [good]] }, key), "slips.1", "slips.2", "slips.3")
    assert.strictEqual((yield* post({ slips: slips(4) }, key)).status, 202, "the rejected batches took no quota")
  })

  it.effect("returns the code that a single slip would get, with its path", function* () {
    const [one] = slips(1)
    assertCodeAtPaths(
      yield* post({ slips: [one, { ...one, bankCode: "999" }] }),
      "INVALID_BANK_CODE",
      "slips.1.bankCode"
    )
    assertCodeAtPaths(
      yield* post({ slips: [{ ...one, bankCode: "002" }] }),
      "INVALID_EXTRA_VERIFY",
      "slips.0.extraVerify"
    )
    assertCodeAtPaths(
      yield* post({ slips: [{ url: "ftp://shop.example/a" }] }),
      "URL_PROTOCOL_NOT_ALLOWED",
      "slips.0.url"
    )
    const broken = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(64)]).toString("base64")
    assertCodeAtPaths(
      yield* post({ slips: [{ image: "aGVsbG8=" }, one, { base64: broken }] }),
      "INVALID_IMAGE_FORMAT",
      "slips.0.image",
      "slips.2.base64"
    )
    const large = "A".repeat(Math.ceil(4_194_305 / 3) * 4)
    assertCodeAtPaths(yield* post({ slips: [one, { image: large }] }), "IMAGE_SIZE_TOO_LARGE", "slips.1.image")
    assertInvalid(
      yield* post({ slips: [{ ...one, bankCode: "999" }, { image: "?" }, {}] }),
      "slips.0.bankCode",
      "slips.1.image",
      "slips.2"
    )
  })

  it.effect("rejects invalid callback URLs, with their paths", function* () {
    const [one] = slips(1)
    const inside = { ...one, callbackUrl: "https://inside.example/told" }
    assertCodeAtPaths(
      yield* post({ slips: [one, inside, { ...one, callbackUrl: "http://shop.example/" }] }),
      "INVALID_CALLBACK_URL",
      "slips.1.callbackUrl",
      "slips.2.callbackUrl"
    )
    assertCodeAtPaths(
      yield* post({ slips: [one], callbackUrl: "https://127.0.0.1/" }),
      "INVALID_CALLBACK_URL",
      "callbackUrl"
    )
    assertInvalid(yield* post({ slips: [one], callbackUrl: 7 }), "callbackUrl")
  })

  it.effect("is accepted completely or not at all, even with concurrent batches", function* () {
    const { createService } = yield* RunningService
    const { mainBranch: { apiKey: key } } = yield* createService({ quota: 100 })
    const first = yield* post({ slips: slips(60) }, key)
    assert.strictEqual(first.status, 202)
    assertFailure(
      yield* post({ slips: slips(41) }, key),
      403,
      "QUOTA_EXCEEDED",
      "Your API quota has been exceeded"
    )
    const concurrent = yield* Effect.forEach(Array.from({ length: 8 }), () => post({ slips: slips(10) }, key), {
      concurrency: "unbounded"
    })
    assert.lengthOf(concurrent.filter(({ status }) => status === 202), 4)
    assert.strictEqual((yield* post({ slips: slips(1) }, key)).status, 403)
  })

  it.effect("accepts bodies of up to 64 MiB", function* () {
    const limit = 64 * 1024 * 1024
    const [one] = slips(1)
    const body = (bytes: number) => {
      const bare = JSON.stringify({ slips: [one], filler: "" })
      return JSON.stringify({ slips: [one], filler: "a".repeat(bytes - bare.length) })
    }
    assert.strictEqual((yield* post(body(limit))).status, 202)
    assertInvalid(yield* post(body(limit + 1)), "")
  })
})

layer.live(layerShop(env))("a batch", (it) => {
  it.effect("is not found if it is unknown, of another branch or not a batch", function* () {
    const { createService } = yield* RunningService
    const { batchId, jobs: [first] } = (yield* post({ slips: slips(2) })).data
    const otherService = (yield* createService()).mainBranch.apiKey
    const missing = [404, "JOB_NOT_FOUND", "Async job not found"] as const
    assertFailure(yield* get(`batches/${batchId}`, otherService), ...missing)
    for (const id of ["0f8fad5b-d9cb-4f69-a165-70867728950e", "nonsense", first?.jobId]) {
      assertFailure(yield* get(`batches/${id}`), ...missing)
    }
  })
})
