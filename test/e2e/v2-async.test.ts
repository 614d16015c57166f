import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { handleCommand } from "../../application/events/handle-command.ts"
import { notFoundBody } from "../../application/jobs/verify-jobs.ts"
import type { job } from "../../application/jobs/job-view.ts"
import { sealJobResult } from "../../application/sealing/sealed-data.ts"
import { jobs, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { EventStore } from "../../ports/event-store.ts"
import { notDueYet } from "../application/given-callback.ts"
import { byService } from "../application/given-intake.ts"
import { assertEnvelope, assertFailure, assertInvalid } from "./assert-answer.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { RunningService } from "../support/service.ts"
import { layerShop, Shop } from "./given-shop.ts"

/** No worker runs: these tests cover enqueueing and reading jobs. */
const env = {
  ROLES: "http,projector",
  EGRESS_HOSTS: "shop.example=93.184.215.14,inside.example=10.0.0.7,loop.example=127.0.0.1"
}

/** One branch without a quota limit, shared by the tests of this file. */
interface Accepted {
  readonly jobId: string
  readonly batchId: null
  readonly status: string
}

type Job = Effect.Success<ReturnType<typeof job>>

const enqueue = Effect.fnUntraced(function* (body: unknown, key?: string) {
  const { call } = yield* RunningService
  return yield* call<Accepted>("POST", "/v2/verify/bank/async", { key: key ?? (yield* Shop).key, body })
})

const getJob = Effect.fnUntraced(function* (jobId: string, key?: string) {
  const { call } = yield* RunningService
  return yield* call<Job>("GET", `/v2/verify/bank/jobs/${jobId}`, { key: key ?? (yield* Shop).key })
})

const redeliver = Effect.fnUntraced(function* (jobId: string, key?: string) {
  const { call } = yield* RunningService
  return yield* call("POST", `/v2/verify/bank/jobs/${jobId}/redeliver`, { key: key ?? (yield* Shop).key })
})

/** Ends a job as not found. */
const end = Effect.fnUntraced(function* (jobId: string) {
  const now = Date.now()
  const error = { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid" }
  const result = yield* sealJobResult(notFoundBody({ jobId, batchId: null }, error, isoTime(now)), jobId)
  yield* handleCommand(jobs, streamOf.job(jobId), {
    _tag: "FailAttempt",
    attempt: 1,
    at: isoTime(now),
    code: error.code,
    why: "the bank knows no such transfer",
    slipDigest: null,
    gateway: null,
    gatewayMillis: null,
    upstream: null,
    askedBefore: [],
    nextAttemptAt: null,
    result
  }, byService("end", now))
})

const payload = () => newSlip().payload

layer.live(layerShop(env))("POST /v2/verify/bank/async", (it) => {
  it.effect("accepts a slip with 202, and the job is readable immediately", function* () {
    const accepted = yield* enqueue({ payload: payload(), callbackUrl: "https://shop.example/told" })
    assertEnvelope(accepted)
    const { jobId, ...others } = accepted.data
    assert.deepStrictEqual([accepted.status, others], [202, { batchId: null, status: "pending" }])
    assert.match(jobId, /^[0-9a-f]{8}-[0-9a-f]{4}-7/u)

    const { data, status } = yield* getJob(jobId)
    const { callback, createdAt, nextAttemptAt, ...job } = data
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(job, {
      jobId,
      batchId: null,
      status: "pending",
      timestamp: null,
      expiresAt: null,
      attempts: 0
    })
    assert.match(createdAt, /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/u)
    assert.strictEqual(nextAttemptAt, createdAt)
    assert.deepStrictEqual(callback, notDueYet)
  })

  it.effect("accepts a hundred concurrent slips, whose jobs are readable immediately", function* () {
    const statuses = yield* Effect.forEach(
      Array.from({ length: 100 }),
      () => Effect.flatMap(enqueue({ payload: payload() }), ({ data }) => getJob(data.jobId)),
      { concurrency: 20 }
    )
    assert.deepStrictEqual(
      new Set(statuses.map(({ data }) => data.status)),
      new Set(["pending"])
    )
  })

  it.effect("accepts every source that a verification accepts", function* () {
    const png = Buffer.from(yield* drawSandboxSlip(newSlip()))
    const form = new FormData()
    form.set("file", new Blob([png]), "slip.png")
    form.set("matchAmount", "100.00")
    form.set("callbackUrl", "https://shop.example/told")
    const bodies = [
      { image: png.toString("base64") },
      { base64: `data:image/png;base64,${png.toString("base64")}`, remark: "โต๊ะ 7", matchAmount: 100 },
      { url: "https://shop.example/slip.png", bankCode: "002", extraVerify: "NAME" },
      { payload: "not a slip: fails in the job", callbackUrl: null },
      form
    ]
    for (const body of bodies) assert.strictEqual((yield* enqueue(body)).status, 202)
  })

  it.effect("stores the picture, payload, remark and picture URL unreadable in the log", function* () {
    const { jobId } = (yield* enqueue({ url: "https://shop.example/s.png?token=t0k3n", remark: "โต๊ะ 7" })).data
    const [event] = yield* (yield* EventStore).readStream(streamOf.job(jobId))
    const text = JSON.stringify(event?.data)
    for (const secret of ["t0k3n", "โต๊ะ"]) assert.notInclude(text, secret)
  })

  it.effect("rejects an invalid request immediately", function* () {
    const text = payload()
    assertInvalid(yield* enqueue({}), "")
    assertInvalid(yield* enqueue({ payload: text, remark: 7, matchAmount: 0 }), "remark", "matchAmount")
    assertInvalid(yield* enqueue({ payload: text, callbackUrl: 7 }), "callbackUrl")
    const tooLong = `https://a.example/${"x".repeat(2048)}`
    assertInvalid(yield* enqueue({ payload: text, callbackUrl: tooLong }), "callbackUrl")
    assertFailure(
      yield* enqueue({ payload: text, bankCode: "999" }),
      400,
      "INVALID_BANK_CODE",
      "The provided bankCode is not supported"
    )
    const broken = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(64)]).toString("base64")
    for (const image of ["aGVsbG8=", broken]) {
      assertFailure(yield* enqueue({ image }), 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
    }
  })

  const refused = [
    "http://shop.example/told",
    "ftp://shop.example/told",
    "https://user:pass@shop.example/told",
    "https://inside.example/told",
    "https://loop.example/",
    "https://10.1.2.3/",
    "https://[::1]/",
    "https://0x7f.1/",
    "https://localhost/",
    "https://[::ffff:192.168.0.1]:8443/",
    "/told",
    "https://",
    "nonsense"
  ]
  it.effect.each(refused)("rejects the callbackUrl %s", function* (callbackUrl) {
    assertFailure(
      yield* enqueue({ payload: payload(), callbackUrl }),
      400,
      "INVALID_CALLBACK_URL",
      "callbackUrl is not a public https URL"
    )
  })

  it.effect("accepts a callbackUrl whose name does not resolve", function* () {
    const accepted = yield* enqueue({ payload: payload(), callbackUrl: "https://nowhere.invalid/told" })
    assert.strictEqual(accepted.status, 202)
  })

  it.effect("holds a quota unit when a slip is enqueued, and releases it when the job ends as not found", function* () {
    const { call, createService, verify } = yield* RunningService
    const { mainBranch: { apiKey: key } } = yield* createService({ quota: 3 })
    const exceeded = [403, "QUOTA_EXCEEDED", "Your API quota has been exceeded"] as const
    const all = yield* Effect.forEach(Array.from({ length: 30 }), () => enqueue({ payload: payload() }, key), {
      concurrency: "unbounded"
    })
    const accepted = all.filter(({ status }) => status === 202)
    assert.lengthOf(accepted, 3)
    for (const answer of all) if (answer.status !== 202) assertFailure(answer, ...exceeded)
    assertFailure(yield* verify(key, payload()), ...exceeded)
    assertInvalid(yield* enqueue({}, key), "")
    const used = Effect.map(
      call<{ readonly branch: { readonly quota: { readonly used: number } } }>("GET", "/v2/info", { key }),
      ({ data }) => data.branch.quota.used
    )

    yield* end(accepted[0]?.data.jobId ?? "")
    yield* eventually(used, (units) => units === 2)
    assert.strictEqual((yield* enqueue({ payload: payload() }, key)).status, 202)
    assertFailure(yield* enqueue({ payload: payload() }, key), ...exceeded)
  })
})

layer.live(layerShop(env))("a job", (it) => {
  it.effect("that ended as not found shows the error and when it expires", function* () {
    const { jobId } = (yield* enqueue({ payload: payload() })).data
    yield* end(jobId)
    const { data } = yield* getJob(jobId)
    assert.notProperty(data, "data")
    assert.deepInclude(data, {
      status: "not_found",
      error: { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid" },
      attempts: 1,
      nextAttemptAt: null
    })
    assert.strictEqual(Date.parse(data.expiresAt ?? "") - Date.parse(data.timestamp ?? ""), 7 * 86_400_000)
    assert.deepInclude(data.callback, { url: null, state: "none" })
  })

  it.effect("is visible to its branch only, with its id in upper or lower case", function* () {
    const { createBranch, createService } = yield* RunningService
    const { jobId } = (yield* enqueue({ payload: payload() })).data
    assert.strictEqual((yield* getJob(jobId.toUpperCase())).status, 200)

    const otherBranch = yield* createBranch((yield* Shop).serviceId)
    const otherService = (yield* createService()).mainBranch
    for (const key of [otherBranch.apiKey, otherService.apiKey]) {
      assertFailure(yield* getJob(jobId, key), 404, "JOB_NOT_FOUND", "Async job not found")
      assertFailure(yield* redeliver(jobId, key), 404, "JOB_NOT_FOUND", "Async job not found")
    }
    for (const id of ["0f8fad5b-d9cb-4f69-a165-70867728950e", "nonsense", "a%20b", `${jobId}0`]) {
      assertFailure(yield* getJob(id), 404, "JOB_NOT_FOUND", "Async job not found")
      assertFailure(yield* redeliver(id), 404, "JOB_NOT_FOUND", "Async job not found")
    }
  })

  it.effect("can redeliver its callback only if it has ended and has a callback URL", function* () {
    const withCallback = (yield* enqueue({ payload: payload(), callbackUrl: "https://shop.example/told" })).data.jobId
    assertInvalid(yield* redeliver(withCallback), "jobId")
    yield* end(withCallback)
    const { data, status } = yield* redeliver(withCallback)
    assert.strictEqual(status, 202)
    assert.deepInclude(data, { jobId: withCallback })

    const withoutCallback = (yield* enqueue({ payload: payload() })).data.jobId
    yield* end(withoutCallback)
    assertInvalid(yield* redeliver(withoutCallback), "jobId")
  })
})
