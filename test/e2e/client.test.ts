import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { drawSandboxSlip } from "../../infrastructure/banks/sandbox/slip-picture.ts"
import { receivers } from "../../infrastructure/banks/sandbox/receivers.ts"
import { makeSlipTrail, SlipTrailError, type SlipTrailOptions } from "../../sdk/client/sliptrail.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

const given = Effect.fnUntraced(function* (fields: object = {}, options: Partial<SlipTrailOptions> = {}) {
  const { baseUrl, createService } = yield* RunningService
  const { mainBranch } = yield* createService(fields)
  const client = makeSlipTrail({ baseUrl, apiKey: mainBranch.apiKey, ...options })
  return { client, branchId: mainBranch.id }
})

type Given = Effect.Success<ReturnType<typeof given>>

/** What a call gives, in an Effect. */
const of = <A>(call: () => Promise<A>) => Effect.promise(call)

const failed = (call: () => Promise<unknown>) =>
  of(async () => {
    try {
      await call()
    } catch (error) {
      if (error instanceof SlipTrailError) return error
      throw error
    }
    return assert.fail("the call should have failed")
  })

const used = ({ client }: Given) => of(async () => (await client.info()).branch.quota.used)

/** A way to the service on which every answer to a request that does something is lost once. */
const losing = (): typeof fetch => {
  const lost = new Set<string>()
  return async (input, init) => {
    const response = await fetch(input, init)
    const key = new Headers(init?.headers).get("idempotency-key")
    if (key === null || lost.has(key)) return response
    lost.add(key)
    await response.body?.cancel()
    throw new TypeError("the connection broke")
  }
}

const drawn = (payload: string) => Effect.map(Effect.orDie(drawSandboxSlip({ payload })), (png) => new Uint8Array(png))

const env = { EGRESS_HOSTS: "shop.example=93.184.215.14" }

layer(layerRunningService(env), { excludeTestServices: true })("the client", (it) => {
  it.effect("verifies a payload, and a picture as bytes, as a Blob or as text", () =>
    Effect.gen(function* () {
      const { client } = yield* given()
      const slip = newSlip()
      const first = yield* of(() => client.verify({ payload: slip.payload, matchAmount: 100, remark: "order 42" }))
      assert.deepStrictEqual(
        [first.isDuplicate, first.isAmountMatched, first.remark, first.rawSlip.transRef],
        [false, true, "order 42", slip.transRef]
      )
      const png = yield* drawn(slip.payload)
      for (const image of [png, new Blob([png]), Buffer.from(png).toString("base64")]) {
        const again = yield* of(() => client.verify({ image, matchAmount: 99.5, matchAccount: true }))
        const { isAmountMatched, isDuplicate, rawSlip } = again
        assert.deepStrictEqual([isDuplicate, isAmountMatched, rawSlip.transRef], [true, false, slip.transRef])
      }
      const { kind, transRef } = yield* of(() => client.decode({ image: png }))
      assert.deepStrictEqual([kind, transRef], ["slip", slip.transRef])
    }))

  it.effect("hands slips over, pictures too, and sees how they end", () =>
    Effect.gen(function* () {
      const { client } = yield* given()
      const ended = (jobId: string) => eventually(of(() => client.job(jobId)), ({ status }) => status !== "pending")
      const alone = newSlip()
      const png = yield* drawn(alone.payload)
      const callbackUrl = "https://shop.example/told"
      const accepted = yield* of(() => client.verifyAsync({ image: png, remark: "order 43", callbackUrl }))
      const job = yield* ended(accepted.jobId)
      const { rawSlip, remark } = job.status === "success" ? job.data : assert.fail(job.status)
      assert.deepStrictEqual([rawSlip.transRef, remark], [alone.transRef, "order 43"])
      assert.strictEqual((yield* of(() => client.redeliver(accepted.jobId))).callback.url, callbackUrl)

      const { payload } = newSlip({ outcome: "not-found", at: 0 })
      const { batchId, jobs } = yield* of(() =>
        client.verifyBatch({ slips: [{ image: new Blob([png]) }, { payload }] })
      )
      for (const { jobId } of jobs) yield* ended(jobId)
      const { counts } = yield* of(() => client.batch(batchId))
      assert.deepStrictEqual(counts, { pending: 0, success: 1, not_found: 1 })
      const lost = yield* ended(jobs[1]?.jobId ?? "")
      assert.isTrue(lost.status === "not_found" && lost.error.code === "SLIP_NOT_FOUND")
    }))

  it.effect("keeps the branch's accounts, and has slips compared with them", () =>
    Effect.gen(function* () {
      const { client: { bankAccounts, verify } } = yield* given()
      const [receiver] = receivers
      assert.isDefined(receiver)
      const made = yield* of(() => bankAccounts.create(receiver?.register ?? assert.fail()))
      assert.deepStrictEqual(yield* of(() => bankAccounts.get(made.id)), made)
      const { payload } = newSlip({ receiver: 0 })
      const { matchedAccount } = yield* of(() => verify({ payload, matchAccount: true }))
      assert.strictEqual(matchedAccount?.id, made.id)
      const changed = yield* of(() => bankAccounts.change(made.id, { nameEn: null }))
      assert.isNull(changed.nameEn)
      assert.isFalse((yield* of(() => bankAccounts.deactivate(made.id))).isActive)
      const { items, nextCursor } = yield* of(() => bankAccounts.list({ isActive: false, limit: 10 }))
      assert.deepStrictEqual([items.map(({ id }) => id), nextCursor], [[made.id], null])
    }))

  it.effect("asks and tells everything else", () =>
    Effect.gen(function* () {
      const { branchId, client } = yield* given({ name: "Of the client" })
      const { application, branch } = yield* of(() => client.info())
      assert.deepStrictEqual([application.name, branch.id], ["Of the client", branchId])
      assert.include((yield* of(() => client.banks())).map(({ code }) => code), "PROMPTPAY")
      assert.deepStrictEqual(yield* of(() => client.health()), { status: "ok" })
      const url = "https://shop.example/told"
      assert.deepStrictEqual(yield* of(() => client.webhook.set(url)), { url })
      assert.deepStrictEqual(yield* of(() => client.webhook.get()), { url })
      assert.match((yield* of(() => client.webhook.rotateSecret({ overlapSeconds: 60 }))).secret, /^whsec_/u)
      const none = { items: [], nextCursor: null }
      assert.deepStrictEqual(yield* of(() => client.webhook.deliveries({ status: "failed" })), none)
    }))

  it.effect("does once what it asks for, however many answers are lost on the way", () =>
    Effect.gen(function* () {
      const own = yield* given({}, { fetch: losing() })
      const { client } = own
      const { isDuplicate } = yield* of(() => client.verify({ payload: newSlip().payload }))
      assert.isFalse(isDuplicate)
      assert.strictEqual(yield* used(own), 1)
      const { jobId } = yield* of(() => client.verifyAsync({ payload: newSlip().payload }))
      assert.strictEqual((yield* of(() => client.job(jobId))).jobId, jobId)
      const slips = [{ payload: newSlip().payload }, { payload: newSlip().payload }]
      const { jobs } = yield* of(() => client.verifyBatch({ slips }))
      assert.lengthOf(jobs, 2)
      assert.strictEqual(yield* used(own), 4)
      const account = { bankCode: "004", bankNumber: "012-3-45678-9", nameTh: "นาย สมชาย ใจดี" }
      const { id } = yield* of(() => client.bankAccounts.create(account))
      assert.deepStrictEqual((yield* of(() => client.bankAccounts.list())).items.map((one) => one.id), [id])
    }))

  it.effect("answers a key of its caller as the first time", () =>
    Effect.gen(function* () {
      const own = yield* given()
      const ask = (payload: string) => () => own.client.verify({ payload }, { idempotencyKey: "order-42" })
      const first = ask(newSlip().payload)
      assert.deepStrictEqual(yield* of(first), yield* of(first))
      assert.strictEqual((yield* failed(ask(newSlip().payload))).code, "IDEMPOTENCY_KEY_REUSED")
      assert.strictEqual(yield* used(own), 1)
    }))

  it.effect("tells why a call came to nothing", () =>
    Effect.gen(function* () {
      const { client } = yield* given()
      const slips = [{ payload: "a" }, { payload: "b", matchAmount: -1 }]
      const invalid = yield* failed(() => client.verifyBatch({ slips }))
      assert.deepStrictEqual([invalid.status, invalid.code], [400, "VALIDATION_ERROR"])
      assert.deepStrictEqual(invalid.issues.map(({ path }) => path), ["slips.1.matchAmount"])
      assert.match(invalid.requestId ?? "", /^[0-9a-f-]{36}$/u)

      const pending = yield* failed(() => client.verify({ payload: newSlip({ outcome: "pending" }).payload }))
      assert.strictEqual(pending.code, "SLIP_PENDING")
      assert.isAbove(pending.retryAfterSeconds ?? 0, 0)

      const { baseUrl } = yield* RunningService
      const nobody = makeSlipTrail({ baseUrl, apiKey: "0f8fad5b-d9cb-4f69-a165-70867728950e" })
      assert.strictEqual((yield* failed(() => nobody.info())).code, "INVALID_API_KEY")
    }))
})
