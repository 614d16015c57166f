import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import {
  assertReplayed,
  assertReused,
  formOf,
  isInProgress,
  isReplayed,
  post,
  used,
  usedBy
} from "./given-idempotency.ts"
import { layerShop, Shop } from "./given-shop.ts"

layer.live(layerShop({ EGRESS_HOSTS: "shop.example=93.184.215.14" }, 1_000))("Idempotency-Key", (it) => {
  it.effect("replays the first answer byte for byte, without a charge or a duplicate", function* () {
    const { payload } = newSlip()
    const body = { payload, remark: 'order "7"\u0000ไทย', matchAmount: 99 }
    const before = yield* used
    const key = randomUUID()

    const first = yield* post(key, body)
    const again = yield* post(key, { matchAmount: body.matchAmount, remark: body.remark, payload })

    assert.strictEqual(first.status, 200, first.text)
    assertReplayed(again, first)
    assert.isFalse(again.data.isDuplicate)
    assert.strictEqual((yield* eventually(used, (units) => units > before)) - before, 1)
    const { verify } = yield* RunningService
    const other = yield* verify((yield* Shop).key, payload)
    assert.strictEqual(other.data.duplicate?.count, 2)
    assertReplayed(yield* post(key, body), first)
  })

  it.effect("replays a duplicate's answer with the same count", function* () {
    const { payload } = newSlip()
    const key = randomUUID()
    yield* post(randomUUID(), { payload })
    const second = yield* post(key, { payload })
    yield* post(randomUUID(), { payload })
    assert.strictEqual(second.data.duplicate?.count, 2)
    assertReplayed(yield* post(key, { payload }), second)
  })

  it.effect("rejects the same key with another body, picture or endpoint", function* () {
    const key = randomUUID()
    const slip = newSlip()
    yield* post(key, { payload: slip.payload })
    assertReused(yield* post(key, { payload: newSlip().payload }))
    assertReused(yield* post(key, { payload: slip.payload, remark: "more" }))
    assertReused(yield* post(key, formOf(yield* drawSandboxSlip(slip))))
    assertReused(yield* post(key, { payload: slip.payload }, "/async"))
  })

  it.effect("is separate for each branch", function* () {
    const { createService } = yield* RunningService
    const other = (yield* createService()).mainBranch.apiKey
    const key = randomUUID()
    const { payload } = newSlip()
    yield* post(key, { payload })
    const ofOther = yield* post(key, { payload: newSlip().payload }, "", other)
    assert.strictEqual(ofOther.status, 200)
    assert.isFalse(isReplayed(ofOther))
  })

  it.effect("is rejected as in progress while the request runs, and replays its answer afterwards", function* () {
    // One of the two arrives while the other runs, unless the machine is so slow that the other has ended.
    const both = Effect.suspend(() => {
      const key = randomUUID()
      const { payload } = newSlip({ outcome: "slow" })
      const answers = Effect.all([post(key, { payload }), post(key, { payload })], { concurrency: 2 })
      return Effect.map(answers, (answers) => ({ key, payload, answers }))
    })
    const { answers, key, payload } = yield* eventually(both, ({ answers }) => answers.some(isInProgress))
    const [done, ...others] = answers.filter((answer) => !isInProgress(answer))
    const meanwhile = answers.find(isInProgress) ?? assert.fail("none is in progress")
    assert.strictEqual(meanwhile.headers.get("retry-after"), "1")
    const running = "A request with this Idempotency-Key is still running"
    assertFailure(meanwhile, 409, "IDEMPOTENCY_IN_PROGRESS", running)
    assert.deepStrictEqual([done?.status, others], [200, []])
    const last = yield* post(key, { payload })
    assert.isTrue(isReplayed(last))
    assert.isFalse(last.data.isDuplicate)
  })

  it.effect("executes concurrent requests once", function* () {
    const key = randomUUID()
    const { payload } = newSlip()
    // A branch of its own, because charges of the tests before may not be counted yet.
    const { apiKey } = (yield* (yield* RunningService).createService({ quota: 1_000 })).mainBranch
    const requests = Array.from({ length: 30 }, () => post(key, { payload }, "", apiKey))
    const answers = yield* Effect.all(requests, { concurrency: 30 })
    const successes = answers.filter(({ status }) => status === 200)
    assert.isNotEmpty(successes)
    assert.lengthOf(new Set(successes.map(({ text }) => text)), 1)
    assert.lengthOf(successes.filter((answer) => !isReplayed(answer)), 1)
    for (const { error, status } of answers) {
      if (status !== 200) assert.strictEqual(error?.code, "IDEMPOTENCY_IN_PROGRESS")
    }
    assert.strictEqual(yield* eventually(usedBy(apiKey), (units) => units > 0), 1)
  })

  it.effect.each([newSlip({ outcome: "not-found" }).payload, "not a slip"])(
    "replays that a slip was not found: %s",
    function* (payload) {
      const key = randomUUID()
      const first = yield* post(key, { payload })
      assertFailure(first, 404, "SLIP_NOT_FOUND", "Slip not found or invalid")
      assertReplayed(yield* post(key, { payload }), first)
    }
  )

  it.effect("does not store retryable failures", function* () {
    for (const outcome of ["down", "pending"] as const) {
      const key = randomUUID()
      const body = { payload: newSlip({ outcome }).payload }
      const first = yield* post(key, body)
      const second = yield* post(key, body)
      assert.isNotNull(first.headers.get("retry-after"))
      assert.deepStrictEqual([isReplayed(second), second.status], [false, first.status])
    }
    const key = randomUUID()
    const body = { payload: newSlip({ outcome: "retry" }).payload }
    const statuses = []
    for (let time = 0; time < 4; time++) statuses.push((yield* post(key, body)).status)
    assert.deepStrictEqual(statuses, [500, 500, 200, 200])
  })

  it.effect("does not store validation errors, rejected API keys and exceeded quotas", function* () {
    const key = randomUUID()
    const { payload } = newSlip()
    assertInvalid(yield* post(key, { payload, matchAmount: -1 }), "matchAmount")
    assert.strictEqual((yield* post(key, { payload }, "", randomUUID())).status, 401)
    assert.isFalse(isReplayed(yield* post(key, { payload })))

    const { admin, createService } = yield* RunningService
    const { mainBranch: { apiKey, id } } = yield* createService({ quota: 0 })
    const exceeded = yield* post(key, { payload }, "", apiKey)
    assert.strictEqual(exceeded.error?.code, "QUOTA_EXCEEDED")
    yield* admin("PATCH", `/branches/${id}`, { quota: 1 })
    const admitted = yield* post(key, { payload: newSlip().payload }, "", apiKey)
    assert.deepStrictEqual([admitted.status, isReplayed(admitted)], [200, false])
  })

  it.effect("is 1 to 255 printable ASCII characters", function* () {
    const { payload } = newSlip()
    assertInvalid(yield* post("k".repeat(256), { payload }), "Idempotency-Key")
    assertInvalid(yield* post("caf\u00e9", { payload }), "Idempotency-Key")
    assert.strictEqual((yield* post(`${randomUUID()} ~!`.padEnd(255, "k"), { payload })).status, 200)
  })

  it.effect("replays the same job, even after it has ended, and the same batch", function* () {
    const { call } = yield* RunningService
    const { key: apiKey } = yield* Shop
    const key = randomUUID()
    const body = { payload: newSlip().payload, callbackUrl: "https://shop.example/told" }
    const first = yield* post<{ readonly jobId: string }>(key, body, "/async")
    assert.strictEqual(first.status, 202, first.text)
    yield* eventually(
      call<{ readonly status: string }>("GET", `/v2/verify/bank/jobs/${first.data.jobId}`, { key: apiKey }),
      ({ data }) => data.status === "success"
    )
    assertReplayed(yield* post(key, body, "/async"), first)

    const batchKey = randomUUID()
    const slips = { slips: [{ payload: newSlip().payload }, { payload: newSlip().payload }] }
    const batch = yield* post(batchKey, slips, "/batch")
    assert.strictEqual(batch.status, 202, batch.text)
    assertReplayed(yield* post(batchKey, slips, "/batch"), batch)
    assertReused(yield* post(batchKey, { slips: slips.slips.slice(1) }, "/batch"))
  })

  it.effect("registers a bank account once, and replays a duplicate number", function* () {
    const { call } = yield* RunningService
    const { key: apiKey } = yield* Shop
    const register = (key: string, fields: object = {}) =>
      call<{ readonly id: string }>("POST", "/v2/bank-accounts", {
        key: apiKey,
        headers: { "idempotency-key": key },
        body: { bankCode: "004", bankNumber: "999-0-01234-5", nameTh: "นาย สมหมาย ทดสอบ", ...fields }
      })
    const key = randomUUID()
    const first = yield* register(key)
    assert.strictEqual(first.status, 201, first.text)
    const path = `/v2/bank-accounts/${first.data.id}`
    yield* call("PATCH", path, { key: apiKey, body: { nameEn: "SOMMAI" } })
    assertReplayed(yield* register(key), first)
    assertReused(yield* register(key, { nameEn: "MR. SOMMAI" }))

    const late = randomUUID()
    const refused = yield* register(late)
    assert.strictEqual(refused.error?.code, "BANK_ACCOUNT_DUPLICATE")
    yield* call("DELETE", path, { key: apiKey })
    assertReplayed(yield* register(late), refused)
    assertReplayed(yield* register(key), first)
    assert.strictEqual((yield* register(randomUUID())).status, 201)
  })

  it.effect("is stored as a digest, like the request's fields", function* () {
    const key = `order-of-somchai-${randomUUID()}`
    const { payload } = newSlip()
    yield* post(key, { payload, remark: "secret remark" })
    const all = yield* EventStore.use((store) => store.readAll({ after: beginning, limit: 100_000 }))
    const text = JSON.stringify(all.map(({ data, metadata, stream }) => [stream, data, metadata]))
    assert.include(text, '"fingerprint"')
    for (const plain of [key, payload, "secret remark"]) assert.notInclude(text, plain)
  })
})
