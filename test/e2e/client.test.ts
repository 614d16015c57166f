import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { receivers } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
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

/** Wraps a call in an Effect. */
const run = <A>(call: () => Promise<A>) => Effect.promise(call)

const collected = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const item of items) found.push(item)
  return found
}

const failed = (call: () => Promise<unknown>) =>
  run(async () => {
    try {
      await call()
    } catch (error) {
      if (error instanceof SlipTrailError) return error
      throw error
    }
    return assert.fail("the call should have failed")
  })

const used = ({ client }: Given) => run(async () => (await client.info()).branch.quota.used)

/** A fetch that loses the first answer to each request with an idempotency key. */
const losingAnswers = (): typeof fetch => {
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

layer.live(layerRunningService(env))("the client", (it) => {
  it.effect("verifies a payload, and a picture as bytes, as a Blob or as text", function* () {
    const { client } = yield* given()
    const slip = newSlip()
    const first = yield* run(() => client.verify({ payload: slip.payload, matchAmount: 100, remark: "order 42" }))
    assert.deepStrictEqual(
      [first.isDuplicate, first.isAmountMatched, first.remark, first.rawSlip.transRef],
      [false, true, "order 42", slip.transRef]
    )
    const png = yield* drawn(slip.payload)
    for (const image of [png, new Blob([png]), Buffer.from(png).toString("base64")]) {
      const again = yield* run(() => client.verify({ image, matchAmount: 99.5, matchAccount: true }))
      const { isAmountMatched, isDuplicate, rawSlip } = again
      assert.deepStrictEqual([isDuplicate, isAmountMatched, rawSlip.transRef], [true, false, slip.transRef])
    }
    const { kind, transRef } = yield* run(() => client.decode({ image: png }))
    assert.deepStrictEqual([kind, transRef], ["slip", slip.transRef])
  })

  it.effect("sends conditions with a payload and with a picture, at once and in a batch", function* () {
    const { client } = yield* given()
    const slip = newSlip()
    const image = yield* drawn(slip.payload)
    const conditions = { amount: { equals: 100 }, duplicate: "reject" } as const
    const first = yield* run(() => client.verify({ image, conditions }))
    const again = yield* run(() => client.verify({ payload: slip.payload, conditions }))
    assert.deepStrictEqual([first.accepted, again.accepted], [true, false])
    assert.deepStrictEqual(again.reasons?.map(({ code }) => code), ["duplicate"])
    const { jobs } = yield* run(() => client.verifyBatch({ slips: [{ image, conditions }] }))
    const job = yield* eventually(
      run(() => client.job(jobs[0]?.jobId ?? "")),
      ({ status }) => status !== "pending"
    )
    assert.isTrue(job.status === "success" && job.data.accepted === false)
  })

  it.effect("enqueues slips as payload or picture, and gets their results", function* () {
    const { client } = yield* given()
    const ended = (jobId: string) => eventually(run(() => client.job(jobId)), ({ status }) => status !== "pending")
    const alone = newSlip()
    const png = yield* drawn(alone.payload)
    const callbackUrl = "https://shop.example/told"
    const accepted = yield* run(() => client.verifyAsync({ image: png, remark: "order 43", callbackUrl }))
    const job = yield* ended(accepted.jobId)
    const { rawSlip, remark } = job.status === "success" ? job.data : assert.fail(job.status)
    assert.deepStrictEqual([rawSlip.transRef, remark], [alone.transRef, "order 43"])
    assert.strictEqual((yield* run(() => client.redeliver(accepted.jobId))).callback.url, callbackUrl)

    const { payload } = newSlip({ outcome: "not-found", at: 0 })
    const { batchId, jobs } = yield* run(() => client.verifyBatch({ slips: [{ image: new Blob([png]) }, { payload }] }))
    for (const { jobId } of jobs) yield* ended(jobId)
    const { counts } = yield* run(() => client.batch(batchId))
    assert.deepStrictEqual(counts, { pending: 0, success: 1, not_found: 1 })
    const lost = yield* ended(jobs[1]?.jobId ?? "")
    assert.isTrue(lost.status === "not_found" && lost.error.code === "SLIP_NOT_FOUND")
  })

  it.effect("manages the branch's API keys", function* () {
    const { client: { keys } } = yield* given()
    const till = yield* run(() => keys.create({ name: "Till", scopes: ["verify"] }))
    const next = yield* run(() => keys.rotate(till.id, { overlapSeconds: 60 }))
    assert.notStrictEqual(next.apiKey, till.apiKey)
    assert.strictEqual((yield* run(() => keys.revoke(till.id))).state, "revoked")
    const { items } = yield* run(() => keys.list({ limit: 2 }))
    assert.deepStrictEqual(items.map(({ id, state }) => [id, state]), [[next.id, "active"], [till.id, "revoked"]])
  })

  it.effect("manages the branch's bank accounts, and matches slips with them", function* () {
    const { client: { bankAccounts, verify } } = yield* given()
    const [receiver] = receivers
    assert.isDefined(receiver)
    const made = yield* run(() => bankAccounts.create(receiver?.register ?? assert.fail()))
    assert.deepStrictEqual(yield* run(() => bankAccounts.get(made.id)), made)
    const { payload } = newSlip({ receiver: 0 })
    const { matchedAccount } = yield* run(() => verify({ payload, matchAccount: true }))
    assert.strictEqual(matchedAccount?.id, made.id)
    const changed = yield* run(() => bankAccounts.change(made.id, { nameEn: null }))
    assert.isNull(changed.nameEn)
    assert.isFalse((yield* run(() => bankAccounts.deactivate(made.id))).isActive)
    const { items, nextCursor } = yield* run(() => bankAccounts.list({ isActive: false, limit: 10 }))
    assert.deepStrictEqual([items.map(({ id }) => id), nextCursor], [[made.id], null])
  })

  it.effect("calls every other operation", function* () {
    const { branchId, client } = yield* given({ name: "Of the client" })
    const { application, branch } = yield* run(() => client.info())
    assert.deepStrictEqual([application.name, branch.id], ["Of the client", branchId])
    assert.include((yield* run(() => client.banks())).map(({ code }) => code), "PROMPTPAY")
    assert.deepStrictEqual(yield* run(() => client.health()), { status: "ok" })
    const url = "https://shop.example/told"
    assert.deepStrictEqual(yield* run(() => client.webhook.set(url)), { url })
    assert.deepStrictEqual(yield* run(() => client.webhook.get()), { url })
    assert.match((yield* run(() => client.webhook.rotateSecret({ overlapSeconds: 60 }))).secret, /^whsec_/u)
    const none = { items: [], nextCursor: null }
    assert.deepStrictEqual(yield* run(() => client.webhook.deliveries({ status: "failed" })), none)
  })

  it.effect("reads what was verified, and iterates over the pages of a list", function* () {
    const { client } = yield* given()
    const { payload } = newSlip()
    const first = yield* run(() => client.verify({ payload, remark: "order 42" }))
    for (let count = 0; count < 4; count++) yield* run(() => client.verify({ payload }))
    const { jobId } = yield* run(() => client.verifyAsync({ payload: newSlip().payload }))
    yield* eventually(run(() => client.verifications.list()), ({ items }) => items.length === 6)

    const all = yield* run(() => collected(client.verifications.all({ limit: 2 })))
    assert.strictEqual(new Set(all.map(({ verificationId }) => verificationId)).size, 6)
    const oldest = yield* run(() => collected(client.verifications.all({ limit: 2, order: "oldest" })))
    assert.deepStrictEqual(oldest, all.toReversed())
    const query = { remark: "Order 42", isDuplicate: false, minAmount: 100, from: "2026-01-01" }
    const { items: [item] } = yield* run(() => client.verifications.list(query))
    assert.strictEqual(item?.verificationId, first.verificationId)
    const detail = yield* run(() => client.verifications.get(first.verificationId))
    assert.deepStrictEqual("data" in detail ? detail.data : undefined, first)
    const missing = yield* failed(() => client.verifications.get(newSlip().transRef))
    assert.strictEqual(missing.code, "VERIFICATION_NOT_FOUND")

    const listed = run(() => collected(client.jobs.all({ status: "success", limit: 1 })))
    const jobs = yield* eventually(listed, ({ length }) => length > 0)
    assert.deepStrictEqual(jobs.map((job) => job.jobId), [jobId])
    const { items: days } = yield* run(() => client.usage())
    assert.deepStrictEqual([days.length, days[0]?.verified, days[0]?.duplicates], [30, 2, 4])
    assert.deepStrictEqual(yield* run(() => collected(client.webhook.allDeliveries())), [])
    assert.deepStrictEqual(yield* run(() => collected(client.bankAccounts.all({ isActive: true }))), [])
  })

  it.effect("executes each request once although answers are lost", function* () {
    const own = yield* given({}, { fetch: losingAnswers() })
    const { client } = own
    const { isDuplicate } = yield* run(() => client.verify({ payload: newSlip().payload }))
    assert.isFalse(isDuplicate)
    yield* eventually(used(own), (units) => units === 1)
    const { jobId } = yield* run(() => client.verifyAsync({ payload: newSlip().payload }))
    assert.strictEqual((yield* run(() => client.job(jobId))).jobId, jobId)
    const slips = [{ payload: newSlip().payload }, { payload: newSlip().payload }]
    const { jobs } = yield* run(() => client.verifyBatch({ slips }))
    assert.lengthOf(jobs, 2)
    yield* eventually(used(own), (units) => units >= 4)
    assert.strictEqual(yield* used(own), 4)
    const account = { bankCode: "004", bankNumber: "012-3-45678-9", nameTh: "นาย สมชาย ใจดี" }
    const { id } = yield* run(() => client.bankAccounts.create(account))
    assert.deepStrictEqual((yield* run(() => client.bankAccounts.list())).items.map((account) => account.id), [id])
  })

  it.effect("sends the caller's idempotency key", function* () {
    const own = yield* given()
    const verifyWithKey = (payload: string) => () => own.client.verify({ payload }, { idempotencyKey: "order-42" })
    const first = verifyWithKey(newSlip().payload)
    assert.deepStrictEqual(yield* run(first), yield* run(first))
    assert.strictEqual((yield* failed(verifyWithKey(newSlip().payload))).code, "IDEMPOTENCY_KEY_REUSED")
    yield* eventually(used(own), (units) => units >= 1)
    assert.strictEqual(yield* used(own), 1)
  })

  it.effect("throws errors with status, code and issues", function* () {
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
    const unknownCaller = makeSlipTrail({ baseUrl, apiKey: "0f8fad5b-d9cb-4f69-a165-70867728950e" })
    assert.strictEqual((yield* failed(() => unknownCaller.info())).code, "INVALID_API_KEY")
  })
})
