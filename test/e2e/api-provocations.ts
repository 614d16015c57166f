import { Effect, type Scope } from "effect"
import { allScopes } from "../../domain/api-key.ts"
import { readFixture } from "../infrastructure/adapters/pictures/fixtures.ts"
import { type Client, newSlip } from "../support/client.ts"
import type { Declared } from "../support/declared-api.ts"
import { eventually } from "../support/eventually.ts"
import { RunningService } from "../support/service.ts"
import { given, operate, type Provocation } from "./situations.ts"

const UNKNOWN_ID = "0f8fad5b-d9cb-4f69-a165-70867728950e"

/** Calls whose answers are compared with the declaration. */
export type ApiCalls = Effect.Effect<unknown, never, RunningService | Scope.Scope>

/** Calls each of these operations as callers that every operation rejects. */
export const callers = (operations: ReadonlyArray<Declared>): ReadonlyArray<ApiCalls> => {
  const callAll = ({ call }: Client, key?: string) =>
    Effect.forEach(operations, ({ method, path }) => call(method, path.replaceAll(/:\w+/gu, UNKNOWN_ID), { key }))
  const after = (operation: keyof typeof operate): ApiCalls =>
    Effect.gen(function* () {
      const own = yield* given()
      yield* operate[operation](own)
      yield* callAll(own, own.key)
    })
  return [
    Effect.flatMap(RunningService, (service) => callAll(service)),
    Effect.flatMap(RunningService, (service) => callAll(service, UNKNOWN_ID)),
    after("deleteService"),
    after("banService"),
    after("banAccount"),
    after("deactivateService"),
    after("deactivateBranch"),
    after("listAnotherAddress"),
    otherScopes(operations),
    Effect.flatMap(
      given(),
      ({ call, key }) =>
        Effect.forEach(
          operations.filter(({ hasBody }) => hasBody),
          ({ method, path }) =>
            call(method, path.replaceAll(/:\w+/gu, UNKNOWN_ID), {
              key,
              body: "{}",
              headers: { "content-encoding": "br" }
            })
        )
    ),
    Effect.flatMap(given({ expiresAt: "2020-01-01T00:00:00Z" }), (own) => callAll(own, own.key)),
    Effect.gen(function* () {
      const { admin } = yield* RunningService
      const { data: { id } } = yield* admin<{ readonly id: string }>("POST", "/accounts", {})
      const own = yield* given({ accountId: id })
      yield* callAll(own, own.key)
    })
  ]
}

const request = (method: string, path: string, body?: unknown, headers = {}): Provocation =>
  Effect.flatMap(given(), ({ call, key }) => call(method, path, { key, body, headers }))

const enqueued = (fields: object, service: object = {}): ReadonlyArray<Provocation> =>
  ["/v2/verify/bank/async", "/v2/verify/bank/batch"].map((path) =>
    Effect.flatMap(
      given(service),
      ({ call, key }) => call("POST", path, { key, body: path.endsWith("batch") ? { slips: [fields] } : fields })
    )
  )

const slip = () => ({ payload: newSlip().payload })
const account = { bankCode: "004", bankNumber: "012-3-45678-9", nameTh: "นาย สมชาย ใจดี" }

/** The same key three times: repeated, with another body, and an empty key. */
const keyed = (path: string, body: () => object, other: object): ReadonlyArray<Provocation> => [
  Effect.gen(function* () {
    const { call, key } = yield* given()
    const first = body()
    const headers = { "idempotency-key": "order-42" }
    yield* call("POST", path, { key, headers, body: first })
    yield* call("POST", path, { key, headers, body: first })
    return yield* call("POST", path, { key, headers, body: other })
  }),
  request("POST", path, body(), { "idempotency-key": "" })
]

/**
 * Twenty requests in parallel: one runs, the others are rejected as in progress or get its answer. Again with another key
 * until one was in progress: a fast one can end before the others arrive.
 */
const inProgress = (path: string, body: (payload: string) => object): ApiCalls =>
  Effect.gen(function* () {
    const { call, key } = yield* given()
    const twenty = Effect.suspend(() => {
      const { payload } = newSlip({ outcome: "slow" })
      const post = call("POST", path, { key, headers: { "idempotency-key": payload }, body: body(payload) })
      return Effect.all(Array.from({ length: 20 }, () => post), { concurrency: "unbounded" })
    })
    yield* Effect.orDie(
      eventually(twenty, (answers) => answers.some(({ error }) => error?.code === "IDEMPOTENCY_IN_PROGRESS"))
    )
  })

const jobs: ApiCalls = Effect.gen(function* () {
  const { call, key } = yield* given()
  const async = (fields: object) =>
    Effect.map(
      call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key, body: fields }),
      ({ data }) => `/v2/verify/bank/jobs/${data.jobId}`
    )
  const untilEnded = (path: string) => {
    const getJob = call<{ readonly status: string }>("GET", path, { key })
    return Effect.orDie(eventually(getJob, ({ data }) => data.status !== "pending"))
  }
  const callbackUrl = "https://shop.example/told"
  const withCallback = yield* async({ ...slip(), remark: "order 42", matchAmount: 100, callbackUrl })
  const withoutCallback = yield* async({
    payload: newSlip({ outcome: "not-found", at: Date.now() - 86_400_000 }).payload
  })
  const pending = yield* async({ payload: newSlip({ outcome: "down" }).payload })
  for (const path of [withCallback, withoutCallback]) yield* untilEnded(path)
  yield* call("GET", pending, { key })
  yield* call("POST", `${withCallback}/redeliver`, { key })
  yield* call("POST", `${withoutCallback}/redeliver`, { key })
  const { data } = yield* call<{ readonly batchId: string }>("POST", "/v2/verify/bank/batch", {
    key,
    body: { slips: [slip(), slip()] }
  })
  yield* call("GET", `/v2/verify/bank/batches/${data.batchId}`, { key })
  yield* call("GET", "/v2/webhook/deliveries?limit=1", { key })
  yield* call("GET", "/v2/jobs?status=success", { key })
})

const reading: ApiCalls = Effect.gen(function* () {
  const { call, createBranch, key, serviceId, verify } = yield* given()
  const { payload } = newSlip()
  const { data: { verificationId } } = yield* verify(key, { payload, remark: "order 42" })
  yield* verify(key, payload)
  yield* verify(key, newSlip({ outcome: "not-found", at: Date.now() - 86_400_000 }).payload)
  const list = (query: string) =>
    call<{ readonly items: ReadonlyArray<{ readonly verificationId: string }> }>("GET", `/v2/verifications${query}`, {
      key
    })
  yield* Effect.orDie(eventually(list(""), ({ data }) => data.items.length === 3))
  for (const { verificationId } of (yield* list("?limit=2")).data.items) {
    yield* call("GET", `/v2/verifications/${verificationId}`, { key })
  }
  yield* list("?accepted=maybe")
  const other = yield* createBranch(serviceId)
  for (const path of ["/v2/jobs?limit=0", "/v2/usage?from=yesterday", "/v2/jobs", "/v2/usage"]) {
    yield* call("GET", path, { key })
  }
  yield* call("GET", `/v2/verifications/${verificationId}`, { key: other.apiKey })
})

const notes: ApiCalls = Effect.gen(function* () {
  const { call, key, verify } = yield* given()
  const { data: { verificationId } } = yield* verify(key, { payload: newSlip().payload })
  const path = `/v2/verifications/${verificationId}/notes`
  const add = (text: string, idempotencyKey: string) =>
    call("POST", path, { key, headers: { "idempotency-key": idempotencyKey }, body: { text } })
  for (const text of ["The payer called", "The payer called", "", "Another"]) yield* add(text, "call-1")
  yield* call("POST", `/v2/verifications/${UNKNOWN_ID}/notes`, { key, body: { text: "The payer called" } })
  let tries = 0
  const twenty = Effect.suspend(() => {
    tries++
    return Effect.all(Array.from({ length: 20 }, () => add("The payer called", `many-${tries}`)), {
      concurrency: "unbounded"
    })
  })
  yield* Effect.orDie(
    eventually(twenty, (answers) => answers.some(({ error }) => error?.code === "IDEMPOTENCY_IN_PROGRESS"))
  )
})

const verifications: ApiCalls = Effect.gen(function* () {
  const { call, createBranch, key, serviceId, verify } = yield* given()
  const other = yield* createBranch(serviceId)
  const { payload } = newSlip({ receiver: 3 })
  yield* call("POST", "/v2/bank-accounts", { key, body: { ...account, bankNumber: "9990012345" } })
  const fields = { payload, matchAmount: 1, remark: "order 42", matchAccount: true }
  for (const apiKey of [key, other.apiKey]) yield* verify(apiKey, fields)
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

const accounts: ApiCalls = Effect.gen(function* () {
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
    yield* call(method, `/v2/bank-accounts/${UNKNOWN_ID}`, { key, body: method === "PATCH" ? {} : undefined })
  }
  yield* call("GET", `/v2/bank-accounts/${other.data.id}`, { key })
})

const keys: ApiCalls = Effect.gen(function* () {
  const { call, key } = yield* given()
  const create = (body: object, apiKey = key) =>
    call<{ readonly id: string; readonly apiKey: string }>("POST", "/v2/keys", { key: apiKey, body })
  const { data: till } = yield* create({
    name: "Till",
    scopes: ["verify"],
    networks: ["127.0.0.1"],
    expiresAt: "2090-01-01"
  })
  yield* create({ name: "Till", scopes: [] })
  const { data: { id } } = yield* create({ name: "Back office", scopes: ["read"] })
  yield* call("GET", "/v2/keys?limit=1", { key })
  yield* call("GET", "/v2/keys?limit=0", { key })
  yield* call("POST", `/v2/keys/${till.id}/rotate`, { key, body: { overlapSeconds: 60 } })
  yield* call("POST", `/v2/keys/${till.id}/rotate`, { key })
  yield* call("POST", `/v2/keys/${UNKNOWN_ID}/rotate`, { key })
  yield* call("DELETE", `/v2/keys/${id}`, { key })
  yield* call("DELETE", `/v2/keys/${UNKNOWN_ID}`, { key })
})

/** Calls each operation with keys that have one scope. */
const otherScopes = (operations: ReadonlyArray<Declared>): ApiCalls =>
  Effect.gen(function* () {
    const { call, key } = yield* given()
    for (const scope of allScopes) {
      const body = { name: scope, scopes: [scope] }
      const { data } = yield* call<{ readonly apiKey: string }>("POST", "/v2/keys", { key, body })
      yield* Effect.forEach(
        operations,
        ({ method, path }) => call(method, path.replaceAll(/:\w+/gu, UNKNOWN_ID), { key: data.apiKey })
      )
    }
  })

/** GET /v1/verify, with the slip in the query. */
const v1Query = (query: () => string, service: object = {}): ApiCalls =>
  Effect.flatMap(given(service), ({ call, key }) => call("GET", `/v1/verify${query()}`, { key }))

const v1Queries: ReadonlyArray<ApiCalls> = [
  v1Query(() => `?payload=${newSlip().payload}`, { quota: 0 }),
  v1Query(() => ""),
  v1Query(() => "?payload=00"),
  v1Query(() => "?payload=00&checkDuplicate=2"),
  request("POST", "/v1/verify", { payload: "00", checkDuplicate: "yes" }),
  v1Query(() => `?payload=${newSlip({ outcome: "not-found" }).payload}`),
  v1Query(() => `?payload=${newSlip({ outcome: "pending" }).payload}`)
]

/** Calls of all operations, beyond the situations that every verification can meet. */
export const provocations: ReadonlyArray<ApiCalls> = [
  jobs,
  reading,
  notes,
  verifications,
  accounts,
  keys,
  ...v1Queries,
  ...["/v2/health", "/v2/info", "/v2/banks", "/v2/webhook"].map((path) => request("GET", path)),
  request("PUT", "/v2/webhook", { url: "https://shop.example/told" }),
  request("PUT", "/v2/webhook", { url: "http://shop.example/told" }),
  request("PUT", "/v2/webhook", {}),
  request("POST", "/v2/webhook/secret/rotate"),
  request("POST", "/v2/webhook/secret/rotate", { overlapSeconds: -1 }),
  request("GET", "/v2/webhook/deliveries?limit=0"),
  request("GET", `/v2/verify/bank/jobs/${UNKNOWN_ID}`),
  request("GET", `/v2/verify/bank/batches/${UNKNOWN_ID}`),
  request("POST", `/v2/verify/bank/jobs/${UNKNOWN_ID}/redeliver`),
  request("POST", "/v2/verify/bank", { payload: "a", bankCode: "999" }),
  request("POST", "/v2/verify/bank", { payload: "a", bankCode: "002" }),
  ...enqueued({}),
  ...enqueued({ url: "ftp://example.com/slip.png" }),
  ...enqueued({ image: "A".repeat(Math.ceil(4_194_305 / 3) * 4) }),
  ...enqueued({ image: "aGVsbG8=" }),
  ...enqueued({ ...slip(), bankCode: "999" }),
  ...enqueued({ ...slip(), bankCode: "002" }),
  ...enqueued({ ...slip(), callbackUrl: "http://shop.example/told" }),
  ...enqueued(slip(), { quota: 0 }),
  request("POST", "/v2/bank-accounts", {}),
  request("POST", "/v2/bank-accounts", { ...account, bankCode: "999" }),
  request("POST", "/v2/bank-accounts", { ...account, bankCode: "002" }),
  ...keyed("/v2/verify/bank", slip, slip()),
  ...keyed("/v2/verify/bank/async", slip, slip()),
  ...keyed("/v2/verify/bank/batch", () => ({ slips: [slip()] }), { slips: [slip()] }),
  ...keyed("/v2/bank-accounts", () => account, { ...account, nameTh: "นาง สมหญิง ใจดี" }),
  inProgress("/v2/verify/bank", (payload) => ({ payload })),
  inProgress("/v2/verify/bank/async", (payload) => ({ payload })),
  inProgress("/v2/verify/bank/batch", (payload) => ({ slips: [{ payload }] })),
  inProgress("/v2/bank-accounts", () => account)
]
