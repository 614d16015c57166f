import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { satang } from "../../domain/money.ts"
import { encodeWalletPayload } from "../../domain/slip/wallet-payload.ts"
import { type Answer, type Client, newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

export interface Item {
  readonly verificationId: string
  readonly at: string
  readonly outcome: string
  readonly amount: number | null
  readonly charged: boolean
  readonly accepted: boolean | null
  readonly remark: string | null
}
export interface Items<A = Item> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}
interface Day {
  readonly verified: number
  readonly duplicates: number
  readonly charged: number
}
interface Detail {
  readonly data?: unknown
  readonly error?: unknown
  readonly requestId: string
  readonly jobId: string | null
  readonly clientRequestId: string | null
}

/** Reads lists and details of a branch. */
export const readerOf = ({ call }: Client, key: string) => ({
  list: (query = "") => call<Items>("GET", `/v2/verifications${query}`, { key }),
  detail: (id: string) => call<Detail>("GET", `/v2/verifications/${id}`, { key }),
  get: <Data>(path: string) => call<Data>("GET", path, { key })
})

const unknown = () => newSlip({ outcome: "not-found", at: Date.now() - 86_400_000 }).payload

interface JobView {
  readonly status: string
  readonly data?: unknown
  readonly error?: unknown
}

/** Verifies slips with every kind of outcome. Returns what was answered, in the order of the requests. */
export const verifyEach = Effect.fnUntraced(function* (client: Client, key: string) {
  const { call, verify } = client
  const slip = newSlip({ amount: satang(150_050), receiver: 3 })
  const requests = [
    { payload: slip.payload, remark: "Order 42", matchAmount: 1500.5, matchAccount: true },
    { payload: slip.payload, conditions: { amount: { atLeast: 2000 } } },
    { payload: unknown(), remark: "Order 43" },
    { payload: encodeWalletPayload("50000000000001", "P2P", "2026-11-21") }
  ]
  const answers: Array<{ readonly data?: unknown; readonly error?: unknown; readonly requestId: string }> = []
  const requestIdOf = ({ headers }: Answer) => headers.get("x-request-id") ?? ""
  for (const body of requests) {
    const answer = yield* verify(key, body)
    const requestId = requestIdOf(answer)
    answers.push(answer.success === true ? { data: answer.data, requestId } : { error: answer.error, requestId })
  }
  for (const payload of [newSlip().payload, unknown()]) {
    const accepted = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
      key,
      headers: { "x-request-id": "till-7" },
      body: { payload, remark: "Order 44" }
    })
    const job = call<JobView>("GET", `/v2/verify/bank/jobs/${accepted.data.jobId}`, { key })
    const { data, error } = (yield* eventually(job, (answer) => answer.data.status !== "pending")).data
    answers.push({ ...(error === undefined ? { data } : { error }), requestId: requestIdOf(accepted) })
  }
  return { slip, answers }
})

const outcomes = ["SLIP_NOT_FOUND", "verified", "WRONG_SLIP_KIND", "SLIP_NOT_FOUND", "duplicate", "verified"]

/** Reads again what was answered, in lists and one by one, also from another branch. */
export const assertReadAgain = Effect.fnUntraced(function* (client: Client) {
  const { admin, createBranch, createService } = client
  const { id: serviceId, mainBranch: { apiKey: key } } = yield* createService()
  const { answers, slip } = yield* verifyEach(client, key)
  const { detail, get, list } = readerOf(client, key)

  const all = yield* eventually(list(), ({ data }) => data.items.length === outcomes.length)
  assert.deepStrictEqual(all.data.items.map(({ outcome }) => outcome), outcomes)
  assert.deepStrictEqual((yield* list("?order=oldest")).data.items, all.data.items.toReversed())

  // Byte for byte: the text of the data is that of the first answer.
  for (const [index, { verificationId }] of all.data.items.toReversed().entries()) {
    const { data: { clientRequestId, data, error, jobId, requestId } } = yield* detail(verificationId.toUpperCase())
    const answered = answers[index]
    assert.strictEqual(
      JSON.stringify({ data, error, requestId }),
      JSON.stringify({ ...answered, requestId: answered?.requestId })
    )
    assert.deepStrictEqual([jobId, clientRequestId], index < 4 ? [null, null] : [verificationId, "till-7"])
  }

  const idsOf = (query: string) => Effect.map(list(query), ({ data }) => data.items.map(({ outcome }) => outcome))
  assert.deepStrictEqual(yield* idsOf("?remark=order%20%2042"), ["verified"])
  assert.deepStrictEqual(yield* idsOf("?remark=order%2044"), ["SLIP_NOT_FOUND", "verified"])
  assert.deepStrictEqual(yield* idsOf("?accepted=false&minAmount=1500.50"), ["duplicate"])
  assert.deepStrictEqual(yield* idsOf("?outcome=failed"), ["SLIP_NOT_FOUND", "WRONG_SLIP_KIND", "SLIP_NOT_FOUND"])
  assert.deepStrictEqual(yield* idsOf(`?reference=${slip.transRef}`), ["duplicate", "verified"])
  assert.deepStrictEqual(yield* idsOf(`?reference=${slip.sendingBank}:${slip.transRef}&isDuplicate=true`), [
    "duplicate"
  ])

  const end = slip.transRef.slice(-6)
  for (const written of [end, end.toLowerCase()]) {
    const ofEnd = eventually(idsOf(`?referenceEnd=${written}`), (found) => found.length === 2)
    assert.deepStrictEqual(yield* ofEnd, ["duplicate", "verified"])
  }
  assert.deepStrictEqual(yield* idsOf(`?referenceEnd=${end}&outcome=verified`), ["verified"])

  const pages: Array<Item> = []
  let cursor: string | null = null
  do {
    const next: string = cursor === null ? "?limit=2" : `?limit=2&cursor=${cursor}`
    const { data }: { readonly data: Items } = yield* list(next)
    pages.push(...data.items)
    cursor = data.nextCursor
  } while (cursor !== null)
  assert.deepStrictEqual(pages, all.data.items)

  const sum = (days: ReadonlyArray<Day>, field: keyof Day) => days.reduce((total, day) => total + day[field], 0)
  // The charges are in another read model than what was verified.
  const usage = yield* eventually(get<Items<Day>>("/v2/usage"), ({ data: { items } }) => sum(items, "charged") >= 2)
  const days = usage.data.items
  assert.lengthOf(days, 30)
  assert.deepStrictEqual([sum(days, "verified"), sum(days, "duplicates"), sum(days, "charged")], [2, 1, 2])
  const info = yield* get<{ readonly branch: { readonly quota: { readonly used: number } } }>("/v2/info")
  assert.strictEqual(info.data.branch.quota.used, 2)

  yield* assertOwnOnly(client, key, yield* createBranch(serviceId), end)

  const rebuilt = yield* admin("POST", "/projections/verifications/rebuild")
  assert.strictEqual(rebuilt.status, 200, rebuilt.text)
  assert.deepStrictEqual((yield* list()).data, all.data)
  assert.strictEqual((yield* admin("POST", "/projections/verifications/compare")).status, 200)

  const erased = yield* admin("POST", "/forget", { slip: `${slip.sendingBank}:${slip.transRef}` })
  assert.strictEqual(erased.status, 200, erased.text)
  const [{ verificationId } = { verificationId: "" }] = (yield* list("?remark=order%2042")).data.items
  assert.deepInclude((yield* detail(verificationId)).data.data, { isForgotten: true, amountInSlip: 1500.5 })
  assert.deepInclude((yield* list("?order=oldest&limit=1")).data.items[0], { verificationId, remark: null })
})

/** Another branch of the service sees nothing of it, by ids, filters or cursors. */
const assertOwnOnly = Effect.fnUntraced(function* (
  client: Client,
  key: string,
  other: { readonly apiKey: string },
  referenceEnd: string
) {
  const own = readerOf(client, key)
  const foreign = readerOf(client, other.apiKey)
  const { items, nextCursor: cursor } = (yield* own.list("?limit=2")).data
  assert.deepStrictEqual((yield* foreign.list("?remark=order%2042")).data, { items: [], nextCursor: null })
  assert.deepStrictEqual((yield* foreign.list(`?referenceEnd=${referenceEnd}`)).data, { items: [], nextCursor: null })
  const unknownId = yield* foreign.detail("0f8fad5b-d9cb-4f69-a165-70867728950e")
  assertFailure(unknownId, 404, "VERIFICATION_NOT_FOUND", "Verification not found")
  for (const { verificationId } of items) {
    const refused = yield* foreign.detail(verificationId)
    assert.deepStrictEqual([refused.status, refused.error], [unknownId.status, unknownId.error])
  }
  assertInvalid(yield* foreign.list(`?limit=2&cursor=${cursor}`), "cursor")
  for (const changed of [`&order=oldest`, "&outcome=failed", "&from=2026-01-01", "&referenceEnd=M07736"]) {
    assertInvalid(yield* own.list(`?limit=2&cursor=${cursor}${changed}`), "cursor")
  }
  for (const path of ["/v2/jobs", "/v2/webhook/deliveries", "/v2/bank-accounts"]) {
    assertInvalid(yield* own.get(`${path}?limit=2&cursor=${cursor}`), "cursor")
  }
  assert.strictEqual((yield* own.list(`?limit=1&cursor=${cursor}`)).status, 200)
})
