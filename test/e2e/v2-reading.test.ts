import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { receivers } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertInvalid } from "./assert-answer.ts"
import { assertReadAgain, type Item, type Items, readerOf } from "./given-reading.ts"
import { given } from "./situations.ts"

layer.live(layerRunningService())("what was verified", (it) => {
  it.effect("can be read again by its branch alone, as it was answered", () =>
    Effect.flatMap(RunningService, assertReadAgain))

  it.effect("is filtered by the bank account that matched", function* () {
    const own = yield* given()
    const { list } = readerOf(own, own.key)
    const [{ register: account } = { register: {} }] = receivers
    const { data: { id } } = yield* own.call<{ readonly id: string }>("POST", "/v2/bank-accounts", {
      key: own.key,
      body: account
    })
    const matched = yield* own.verify(own.key, { payload: newSlip({ receiver: 0 }).payload, matchAccount: true })
    yield* own.verify(own.key, newSlip().payload)
    yield* eventually(list(), ({ data }) => data.items.length === 2)
    const found = yield* list(`?bankAccount=${id.toUpperCase()}`)
    const expected = matched.data.matchedAccount === null ? [] : [matched.data.verificationId]
    assert.deepStrictEqual(found.data.items.map(({ verificationId }) => verificationId), expected)
    assert.lengthOf(expected, 1)
  })

  it.effect("is refused with the field that is wrong", function* () {
    const own = yield* given()
    const { get } = readerOf(own, own.key)
    const wrong = [
      ["verifications", "outcome", "lost"],
      ["verifications", "isDuplicate", "maybe"],
      ["verifications", "accepted", ""],
      ["verifications", "minAmount", "-1"],
      ["verifications", "maxAmount", "1.005"],
      ["verifications", "from", "yesterday"],
      ["verifications", "to", "2026-02-30"],
      ["verifications", "order", "random"],
      ["verifications", "bankAccount", "7"],
      ["verifications", "reference", "004:a:b"],
      ["verifications", "referenceEnd", "07736"],
      ["verifications", "referenceEnd", "ก07736"],
      ["verifications", "limit", "501"],
      ["verifications", "remark", ""],
      ["usage", "from", "2026-11-21T00:00:00Z"],
      ["usage", "order", "up"],
      ["jobs", "status", "done"],
      ["jobs", "to", "soon"]
    ] as const
    for (const [list, field, value] of wrong) assertInvalid(yield* get(`/v2/${list}?${field}=${value}`), field)
    assertInvalid(yield* get("/v2/verifications?from=2026-11-22&to=2026-11-21"), "to")
    assertInvalid(yield* get("/v2/verifications?minAmount=2&maxAmount=1"), "maxAmount")
    assertInvalid(yield* get("/v2/usage?from=2026-01-01&to=2026-12-31"), "from")
  })

  it.effect("includes jobs, by status and time", function* () {
    const own = yield* given()
    const { get } = readerOf(own, own.key)
    const enqueue = (payload: string) =>
      own.call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key: own.key, body: { payload } })
    const { data: { jobId: first } } = yield* enqueue(newSlip().payload)
    const { data: { jobId: second } } = yield* enqueue(newSlip().payload)
    const jobs = (query: string) => get<Items<Item & { readonly jobId: string }>>(`/v2/jobs?${query}`)
    const ended = yield* eventually(jobs("status=success"), ({ data }) => data.items.length === 2)
    assert.sameMembers(ended.data.items.map(({ jobId }) => jobId), [first, second])
    const oldest = (yield* jobs("status=success&order=oldest")).data.items
    assert.deepStrictEqual(oldest, ended.data.items.toReversed())
    assert.deepStrictEqual((yield* jobs("to=2026-01-01")).data.items, [])
    const { data: { nextCursor } } = yield* jobs("limit=1")
    assert.lengthOf((yield* jobs(`limit=1&cursor=${nextCursor}`)).data.items, 1)
  })
})
