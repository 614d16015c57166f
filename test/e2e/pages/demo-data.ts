import { Context, Effect, Layer } from "effect"
import { satang } from "../../../domain/money.ts"
import { receivers } from "../../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { nonceOf } from "../../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { newOperator } from "../../support/operators.ts"
import { numbersFrom, pick } from "../../support/random.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { makeShiftedClock } from "../../support/shifted-clock.ts"
import { type Receiver, startReceiver } from "../../infrastructure/commands/cli/given-jobs.ts"
import { sendForm } from "../console/given-console.ts"

/** The time of the pages: 14:30 in Bangkok on a Friday. */
const NOW = Date.parse("2026-11-20T07:30:00Z")
const HOUR = 3_600_000
/** How long before `NOW` the first slip was checked. */
const HOURS = 27

/** The outcome of slips besides those that are found, one for each hour. */
const rareOutcomes = ["not-found", "found", "found", "not-found", "found", "nonsense", "found"] as const

type Slip = ReturnType<typeof newSlip>

/** A day of three shops, with every outcome, and what the tests of pages need of it. */
const makeDay = Effect.fnUntraced(function* (advance: (millis: number) => void, receiver: Receiver) {
  const service = yield* RunningService
  const { admin, call, createBranch, createService, verify } = service
  let now = NOW - HOURS * HOUR
  let made = 0
  const slipOf = (baht: number, options: Parameters<typeof newSlip>[0] = {}): Slip =>
    newSlip({
      amount: satang(baht * 100),
      at: now - 4 * 60_000,
      nonce: nonceOf(770_123_457 + 7_919 * made++),
      ...options
    })

  const coffee = yield* createService({ name: "Baan Kafe บ้านกาแฟ", plan: "standard" })
  const flowers = yield* createService({ name: "Malee Flowers ร้านดอกไม้มาลี", quota: 12 })
  const tools = yield* createService({ name: "Chang Hardware ช่างฮาร์ดแวร์", quota: 5_000 })
  const silom = yield* createBranch(coffee.id, { name: "Silom สาขาสีลม", quota: 300 })
  const ari = yield* createBranch(coffee.id, { name: "Ari สาขาอารีย์" })
  const shops = [silom, ari, silom, tools.mainBranch, silom, ari] as const

  const account = yield* call<{ readonly id: string }>("POST", "/v2/bank-accounts", {
    key: silom.apiKey,
    body: receivers[0]?.register
  })
  yield* call("POST", "/v2/bank-accounts", { key: silom.apiKey, body: receivers[3]?.register })
  yield* admin("PATCH", `/branches/${silom.id}`, { webhookUrl: receiver.url })
  yield* admin("PUT", `/branches/${ari.id}/policy`, {
    amount: { atLeast: 20 },
    transferredAt: { withinMinutes: 1_440 },
    duplicate: "reject"
  })
  for (const [name, scopes] of [["Till 1", ["verify"]], ["Owner's phone", ["verify", "read", "configure"]]] as const) {
    yield* call("POST", "/v2/keys", { key: silom.apiKey, body: { name, scopes } })
  }
  const till = yield* call<{ readonly id: string }>("POST", "/v2/keys", {
    key: silom.apiKey,
    body: { name: "Till 2", scopes: ["verify"], networks: ["198.51.100.0/24"] }
  })

  const random = numbersFrom(20)
  for (let hour = 0; hour < HOURS - 1; hour++) {
    for (let count = Math.round(1 + random() * 3); count > 0; count--) {
      const shop = pick(random, shops, silom)
      const slip = slipOf(pick(random, [45, 65, 120, 185, 250, 1_250.5], 95))
      yield* verify(shop.apiKey, { payload: slip.payload, remark: `Order ${1_000 + made}` })
      if (random() < 0.2) yield* verify(shop.apiKey, slip.payload)
    }
    const outcome = rareOutcomes[hour % rareOutcomes.length] ?? "found"
    if (outcome !== "found") yield* verify(silom.apiKey, slipOf(320, { outcome }).payload)
    if (hour % 2 === 0) yield* verify(flowers.mainBranch.apiKey, slipOf(590).payload)
    advance(HOUR)
    now += HOUR
  }
  advance(HOUR)
  now += HOUR

  const slip = slipOf(1_250)
  const first = yield* verify(silom.apiKey, { payload: slip.payload, matchAmount: 1_250, remark: "Order 42" })
  yield* verify(ari.apiKey, slip.payload)
  const wrong = yield* verify(silom.apiKey, { payload: slipOf(99).payload, matchAmount: 250, matchAccount: true })
  const lost = slipOf(450, { outcome: "not-found" })
  const failed = yield* verify(silom.apiKey, lost.payload)
  const { data: { verificationId } } = first
  yield* call("POST", `/v2/verifications/${verificationId}/notes`, {
    key: silom.apiKey,
    body: { text: "The customer called: paid from the account of a relative." }
  })

  const enqueue = Effect.fnUntraced(function* (payload: string, status: number, isLate = false) {
    receiver.answers(status)
    const { data } = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
      key: silom.apiKey,
      body: { payload, callbackUrl: receiver.url }
    })
    yield* eventually(
      call<{ readonly attempts: number; readonly callback: { readonly lastStatus: number | null } }>(
        "GET",
        `/v2/verify/bank/jobs/${data.jobId}`,
        { key: silom.apiKey }
      ),
      // An attempt counts before its answer: the next job would change the answer.
      ({ data: job }) => isLate ? job.attempts > 0 : job.callback.lastStatus === status
    )
    return data.jobId
  })
  const delivered = yield* enqueue(slipOf(780).payload, 200)
  yield* enqueue(slipOf(64).payload, 410)
  const waiting = yield* enqueue(slipOf(2_340).payload, 503)
  const pending = yield* enqueue(slipOf(150, { outcome: "pending", at: now }).payload, 200, true)
  const batch = yield* call<{ readonly batchId: string }>("POST", "/v2/verify/bank/batch", {
    key: silom.apiKey,
    body: { slips: [slipOf(55), slipOf(70), lost].map(({ payload }) => ({ payload })) }
  })

  const support = yield* newOperator(service, "nok", "support")
  const auditor = yield* newOperator(service, "ann", "auditor")
  for (const token of [support, auditor]) yield* sendForm(service.baseUrl, "/console/login", { token })
  yield* call("GET", `/admin/v1/trail?slip=004:${slip.transRef}&reveal=true`, { key: auditor })
  yield* eventually(
    call<{ readonly items: ReadonlyArray<{ readonly verificationId: string }> }>("GET", "/v2/verifications", {
      key: silom.apiKey
    }),
    ({ data: { items } }) =>
      [verificationId, wrong.data.verificationId].every((id) => items.some((item) => item.verificationId === id))
  )
  yield* eventually(
    admin<{ readonly items: ReadonlyArray<unknown> }>("GET", "/callbacks?state=rejected"),
    ({ data: { items } }) => items.length > 0
  )
  return {
    serviceId: coffee.id,
    branchId: silom.id,
    key: silom.apiKey,
    keyId: till.data.id,
    accountId: account.data.id,
    slip,
    verificationId,
    requestId: failed.headers.get("x-request-id") ?? "",
    jobs: { delivered, waiting, pending },
    batchId: batch.data.batchId,
    /** A slip that was not checked, transferred some minutes ago. */
    newSlip: slipOf,
    tokens: { support, auditor }
  }
})

type Day = Effect.Success<ReturnType<typeof makeDay>>

/** A running service with the day of three shops, at a fixed time. */
export class DemoData extends Context.Service<DemoData, Day>()("test/DemoData") {
  static readonly layer = Layer.unwrap(Effect.gen(function* () {
    const { advance, layer: layerClock } = yield* makeShiftedClock(NOW - HOURS * HOUR)
    const receiver = yield* startReceiver
    const env = { ...receiver.env, CALLBACK_RETRY_SCHEDULE: "2 hours", VERIFY_RETRY_SCHEDULE: "5 minutes" }
    return Layer.effect(DemoData, makeDay(advance, receiver)).pipe(
      Layer.provideMerge(layerRunningService(env)),
      Layer.provide(layerClock)
    )
  }))
}
