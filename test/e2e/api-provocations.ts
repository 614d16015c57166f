import { Effect, type Scope } from "effect"
import { readFixture } from "../infrastructure/pictures/fixtures.ts"
import { type Client, newSlip } from "../support/client.ts"
import type { Declared } from "../support/declared-api.ts"
import { eventually } from "../support/eventually.ts"
import { RunningService } from "../support/service.ts"
import { given, operate, type Provocation } from "./situations.ts"

const NOBODY = "0f8fad5b-d9cb-4f69-a165-70867728950e"

/** Calls whose answers are looked at on their way. */
export type Asking = Effect.Effect<unknown, never, RunningService | Scope.Scope>

/** Callers that are let in nowhere: what they are told at each of these operations. */
export const callers = (operations: ReadonlyArray<Declared>): ReadonlyArray<Asking> => {
  const everywhere = ({ call }: Client, key?: string) =>
    Effect.forEach(operations, ({ method, path }) => call(method, path.replaceAll(/:\w+/gu, NOBODY), { key }))
  const after = (operation: keyof typeof operate): Asking =>
    Effect.gen(function* () {
      const own = yield* given()
      yield* operate[operation](own)
      yield* everywhere(own, own.key)
    })
  return [
    Effect.flatMap(RunningService, (service) => everywhere(service)),
    Effect.flatMap(RunningService, (service) => everywhere(service, NOBODY)),
    after("deleteService"),
    after("banService"),
    after("banAccount"),
    after("deactivateService"),
    after("deactivateBranch"),
    after("listAnotherAddress"),
    Effect.flatMap(given({ expiresAt: "2020-01-01T00:00:00Z" }), (own) => everywhere(own, own.key)),
    Effect.gen(function* () {
      const { admin } = yield* RunningService
      const { data: { id } } = yield* admin<{ readonly id: string }>("POST", "/accounts", {})
      const own = yield* given({ accountId: id })
      yield* everywhere(own, own.key)
    })
  ]
}

const ask = (method: string, path: string, body?: unknown, headers = {}): Provocation =>
  Effect.flatMap(given(), ({ call, key }) => call(method, path, { key, body, headers }))

const later = (fields: object, service: object = {}): ReadonlyArray<Provocation> =>
  ["/v2/verify/bank/async", "/v2/verify/bank/batch"].map((path) =>
    Effect.flatMap(
      given(service),
      ({ call, key }) => call("POST", path, { key, body: path.endsWith("batch") ? { slips: [fields] } : fields })
    )
  )

const slip = () => ({ payload: newSlip().payload })
const account = { bankCode: "004", bankNumber: "012-3-45678-9", nameTh: "นาย สมชาย ใจดี" }

/** The same key twice: with another body it is another request, beside the first one it has to wait. */
const keyed = (path: string, body: () => object, other: object): ReadonlyArray<Provocation> => [
  Effect.gen(function* () {
    const { call, key } = yield* given()
    const first = body()
    const headers = { "idempotency-key": "order-42" }
    yield* call("POST", path, { key, headers, body: first })
    yield* call("POST", path, { key, headers, body: first })
    return yield* call("POST", path, { key, headers, body: other })
  }),
  ask("POST", path, body(), { "idempotency-key": "" })
]

/** Twenty at the same moment: one does it, the others are told to wait, or get its answer. */
const inProgress = (path: string, body: (payload: string) => object): Asking =>
  Effect.gen(function* () {
    const { call, key } = yield* given()
    const { payload } = newSlip({ outcome: "slow" })
    const post = call("POST", path, { key, headers: { "idempotency-key": "order-42" }, body: body(payload) })
    yield* Effect.all(Array.from({ length: 20 }, () => post), { concurrency: "unbounded" })
  })

const jobs: Asking = Effect.gen(function* () {
  const { call, key } = yield* given()
  const async = (fields: object) =>
    Effect.map(
      call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key, body: fields }),
      ({ data }) => `/v2/verify/bank/jobs/${data.jobId}`
    )
  const ended = (path: string) => {
    const look = call<{ readonly status: string }>("GET", path, { key })
    return Effect.orDie(eventually(look, ({ data }) => data.status !== "pending"))
  }
  const callbackUrl = "https://shop.example/told"
  const told = yield* async({ ...slip(), remark: "order 42", matchAmount: 100, callbackUrl })
  const silent = yield* async({ payload: newSlip({ outcome: "not-found", at: Date.now() - 86_400_000 }).payload })
  const waiting = yield* async({ payload: newSlip({ outcome: "down" }).payload })
  for (const path of [told, silent]) yield* ended(path)
  yield* call("GET", waiting, { key })
  yield* call("POST", `${told}/redeliver`, { key })
  yield* call("POST", `${silent}/redeliver`, { key })
  const { data } = yield* call<{ readonly batchId: string }>("POST", "/v2/verify/bank/batch", {
    key,
    body: { slips: [slip(), slip()] }
  })
  yield* call("GET", `/v2/verify/bank/batches/${data.batchId}`, { key })
  yield* call("GET", "/v2/webhook/deliveries?limit=1", { key })
})

const verifications: Asking = Effect.gen(function* () {
  const { call, createBranch, key, serviceId, verify } = yield* given()
  const other = yield* createBranch(serviceId)
  const { payload } = newSlip({ receiver: 3 })
  yield* call("POST", "/v2/bank-accounts", { key, body: { ...account, bankNumber: "9990012345" } })
  const asked = { payload, matchAmount: 1, remark: "order 42", matchAccount: true }
  for (const who of [key, other.apiKey]) yield* verify(who, asked)
  yield* verify(key, { payload: newSlip().payload, bankCode: "004" })
  for (const receiver of [2, 5, 6, 7, 8, 9] as const) yield* verify(key, newSlip({ receiver }).payload)
  const form = new FormData()
  form.append("image", new Blob([new Uint8Array(readFixture("neg-no-qr-02.jpg"))]), "slip.jpg")
  yield* call("POST", "/v2/decode", { key, body: form })
  yield* call("POST", "/v2/decode", { key, body: { payload } })
  yield* call("POST", "/v2/decode", { key, body: { payload: "anything" } })
  yield* call("GET", `/v1/verify?payload=${payload}`, { key })
  yield* call("GET", `/v1/verify?payload=${payload}&checkDuplicate=true`, { key })
  yield* call("POST", "/api/v1/verify", { key, body: { payload, checkDuplicate: "true" } })
  yield* call("GET", "/api/v1/me", { key })
  yield* call("GET", "/v1/me", { key })
})

const accounts: Asking = Effect.gen(function* () {
  const { call, key } = yield* given()
  const post = (body: object) => call<{ readonly id: string }>("POST", "/v2/bank-accounts", { key, body })
  const { data: { id } } = yield* post({ ...account, nameEn: "MR SOMCHAI", type: "PERSONAL" })
  yield* post(account)
  const promptPay = { ...account, bankCode: "PROMPTPAY", bankNumber: "0812345678", extraVerify: "MSISDN" }
  const other = yield* post(promptPay)
  const path = `/v2/bank-accounts/${id}`
  yield* call("GET", path, { key })
  yield* call("GET", "/v2/bank-accounts?isActive=true&limit=1", { key })
  yield* call("GET", "/v2/bank-accounts?isActive=maybe", { key })
  yield* call("PATCH", path, { key, body: { nameEn: null, type: null } })
  for (const body of [{ nameTh: 7 }, { bankCode: "999" }, { bankCode: "002" }]) {
    yield* call("PATCH", path, { key, body })
  }
  yield* post({ ...account, bankNumber: "1111111111" })
  yield* call("PATCH", path, { key, body: { bankNumber: "1111111111" } })
  yield* call("DELETE", path, { key })
  for (const method of ["GET", "PATCH", "DELETE"]) {
    yield* call(method, `/v2/bank-accounts/${NOBODY}`, { key, body: method === "PATCH" ? {} : undefined })
  }
  yield* call("GET", `/v2/bank-accounts/${other.data.id}`, { key })
})

/** GET /v1/verify, which has its slip behind the `?`. */
const v1Query = (query: () => string, service: object = {}): Asking =>
  Effect.flatMap(given(service), ({ call, key }) => call("GET", `/v1/verify${query()}`, { key }))

const v1Queries: ReadonlyArray<Asking> = [
  v1Query(() => `?payload=${newSlip().payload}`, { quota: 0 }),
  v1Query(() => ""),
  v1Query(() => "?payload=00"),
  v1Query(() => "?payload=00&checkDuplicate=1"),
  ask("POST", "/v1/verify", { payload: "00", checkDuplicate: "yes" }),
  v1Query(() => `?payload=${newSlip({ outcome: "not-found" }).payload}`),
  v1Query(() => `?payload=${newSlip({ outcome: "pending" }).payload}`)
]

/** What the operations can be asked beside what every verification runs into. */
export const provocations: ReadonlyArray<Asking> = [
  jobs,
  verifications,
  accounts,
  ...v1Queries,
  ...["/v2/health", "/v2/info", "/v2/banks", "/v2/webhook"].map((path) => ask("GET", path)),
  ask("PUT", "/v2/webhook", { url: "https://shop.example/told" }),
  ask("PUT", "/v2/webhook", { url: "http://shop.example/told" }),
  ask("PUT", "/v2/webhook", {}),
  ask("POST", "/v2/webhook/secret/rotate"),
  ask("POST", "/v2/webhook/secret/rotate", { overlapSeconds: -1 }),
  ask("GET", "/v2/webhook/deliveries?limit=0"),
  ask("GET", `/v2/verify/bank/jobs/${NOBODY}`),
  ask("GET", `/v2/verify/bank/batches/${NOBODY}`),
  ask("POST", `/v2/verify/bank/jobs/${NOBODY}/redeliver`),
  ask("POST", "/v2/verify/bank", { payload: "a", bankCode: "999" }),
  ask("POST", "/v2/verify/bank", { payload: "a", bankCode: "002" }),
  ...later({}),
  ...later({ url: "ftp://example.com/slip.png" }),
  ...later({ image: "A".repeat(Math.ceil(4_194_305 / 3) * 4) }),
  ...later({ image: "aGVsbG8=" }),
  ...later({ ...slip(), bankCode: "999" }),
  ...later({ ...slip(), bankCode: "002" }),
  ...later({ ...slip(), callbackUrl: "http://shop.example/told" }),
  ...later(slip(), { quota: 0 }),
  ask("POST", "/v2/bank-accounts", {}),
  ask("POST", "/v2/bank-accounts", { ...account, bankCode: "999" }),
  ask("POST", "/v2/bank-accounts", { ...account, bankCode: "002" }),
  ...keyed("/v2/verify/bank", slip, slip()),
  ...keyed("/v2/verify/bank/async", slip, slip()),
  ...keyed("/v2/verify/bank/batch", () => ({ slips: [slip()] }), { slips: [slip()] }),
  ...keyed("/v2/bank-accounts", () => account, { ...account, nameTh: "นาง สมหญิง ใจดี" }),
  inProgress("/v2/verify/bank", (payload) => ({ payload })),
  inProgress("/v2/verify/bank/async", (payload) => ({ payload })),
  inProgress("/v2/verify/bank/batch", (payload) => ({ slips: [{ payload }] })),
  inProgress("/v2/bank-accounts", () => account)
]
