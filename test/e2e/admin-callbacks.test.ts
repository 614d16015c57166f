import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import type { CallbackItem } from "../../application/views/job.ts"
import type { JobRow } from "../../projections/models/jobs.ts"
import type { Page } from "../../projections/engine/page.ts"
import { endJob } from "../infrastructure/commands/cli/given-jobs.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop-with-receiver.ts"

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

/** Ends a job whose callback gets this status from the receiver. Returns its id. */
const endedJob = Effect.fnUntraced(function* (status: number) {
  const { key, receiver } = yield* Shop
  receiver.answers(status)
  return yield* endJob(key, { payload: newSlip().payload, callbackUrl: `${receiver.url}?token=t0k3n` })
})

const callbacks = Effect.fnUntraced(function* (query: string) {
  const { admin } = yield* RunningService
  return (yield* admin<Page<CallbackItem>>("GET", `/callbacks?limit=500&${query}`)).data
})

const idsOf = ({ items }: Page<{ readonly jobId: string }>) => items.map(({ jobId }) => jobId)

const redeliver = Effect.fnUntraced(function* (body: unknown) {
  const { admin } = yield* RunningService
  return yield* admin<{ readonly redelivered: number }>("POST", "/callbacks/redeliver", body)
})

/** Waits until the list shows a job. Returns the list. */
const untilListed = (query: string, jobId: string) =>
  eventually(callbacks(query), (page) => idsOf(page).includes(jobId))

layer.live(layerShop)("the admin API over callbacks", (it) => {
  it.effect("lists them by state and host, without the query of their URL", function* () {
    const { branchId, receiver } = yield* Shop
    const host = new URL(receiver.url).host
    const delivered = yield* endedJob(200)
    const rejected = yield* endedJob(404)
    const abandoned = yield* endedJob(503)
    const page = yield* untilListed(`state=abandoned&host=${host.toUpperCase()}`, abandoned)
    assert.deepStrictEqual(idsOf(page), [abandoned])
    assert.deepInclude(page.items[0], {
      jobId: abandoned,
      branchId,
      host,
      url: receiver.url,
      state: "abandoned",
      attempts: 2,
      lastStatus: 503,
      lastReason: "the receiver answered 503"
    })
    assert.deepStrictEqual(idsOf(yield* callbacks("state=rejected")), [rejected])
    assert.deepStrictEqual(
      idsOf(yield* callbacks("state=abandoned&state=rejected")),
      [rejected],
      "the last value counts"
    )
    assert.deepStrictEqual(idsOf(yield* callbacks("")), [delivered, rejected, abandoned])
    assert.deepStrictEqual(idsOf(yield* callbacks("host=other.example")), [])
    assert.notInclude(JSON.stringify(yield* callbacks("")), "t0k3n")
  })

  it.effect("lists them page by page", function* () {
    const { admin } = yield* RunningService
    const last = yield* endedJob(200)
    const all = yield* untilListed("", last)
    const found: Array<string> = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? "limit=1" : `limit=1&cursor=${encodeURIComponent(cursor)}`
      const { data }: { readonly data: Page<CallbackItem> } = yield* admin<Page<CallbackItem>>(
        "GET",
        `/callbacks?${query}`
      )
      found.push(...idsOf(data))
      cursor = data.nextCursor
    } while (cursor !== null)
    assert.deepStrictEqual(found, idsOf(all))
  })

  it.effect("redelivers all rejected and abandoned callbacks of a host immediately, byte for byte", function* () {
    const { receiver } = yield* Shop
    const host = new URL(receiver.url).host
    yield* endedJob(200)
    const rejected = yield* endedJob(410)
    const abandoned = yield* endedJob(500)
    receiver.answers(200)
    const undelivered = [...idsOf(yield* callbacks("state=rejected")), ...idsOf(yield* callbacks("state=abandoned"))]
    const expected = new Set([...undelivered, rejected, abandoned])
    const before = receiver.arrivals.length

    const answer = yield* redeliver({ host })
    assert.deepStrictEqual([answer.status, answer.data], [200, { redelivered: expected.size }])
    yield* eventually(Effect.sync(() => receiver.arrivals.length), (count) => count === before + expected.size)
    const redelivered = receiver.arrivals.slice(before)
    assert.deepStrictEqual(new Set(redelivered.map(({ jobId }) => jobId)), expected)
    for (const { body, jobId } of redelivered) {
      assert.strictEqual(body, receiver.arrivals.find((arrival) => arrival.jobId === jobId)?.body)
    }
    yield* untilListed("state=delivered", rejected)
    yield* untilListed("state=delivered", abandoned)
    assert.deepStrictEqual((yield* redeliver({ host })).data, { redelivered: 0 })
  })

  it.effect("redelivers the callback of a job, and the callbacks that ended within a time", function* () {
    const { receiver } = yield* Shop
    const delivered = yield* endedJob(200)
    const arrivals = (jobId: string) => receiver.arrivals.filter((arrival) => arrival.jobId === jobId).length
    assert.deepStrictEqual((yield* redeliver({ jobId: delivered.toUpperCase() })).data, { redelivered: 1 })
    yield* eventually(Effect.sync(() => arrivals(delivered)), (count) => count === 2)

    const from = new Date().toISOString()
    const rejected = yield* endedJob(400)
    const to = new Date().toISOString()
    receiver.answers(200)
    assert.deepStrictEqual((yield* redeliver({ from: "2000-01-01", to: "2001-01-01" })).data, { redelivered: 0 })
    assert.deepStrictEqual((yield* redeliver({ from, to })).data, { redelivered: 1 })
    yield* eventually(Effect.sync(() => arrivals(rejected)), (count) => count === 2)
  })

  it.effect("rejects a redelivery without a known job, host or period", function* () {
    const { key } = yield* Shop
    assertFailure(yield* redeliver({ jobId: UNKNOWN_ID }), 404, "JOB_NOT_FOUND", "Async job not found")
    const withoutCallback = yield* endJob(key, { payload: newSlip().payload })
    assertInvalid(yield* redeliver({ jobId: withoutCallback }), "jobId")
    const moment = "2026-01-01T00:00:00Z"
    for (
      const body of [{}, { jobId: UNKNOWN_ID, host: "a.example" }, { host: "a.example", from: moment, to: moment }]
    ) {
      assertInvalid(yield* redeliver(body), "")
    }
    assertInvalid(yield* redeliver({ from: moment }), "to")
    assertInvalid(yield* redeliver({ to: moment }), "from")
    assertInvalid(yield* redeliver({ from: moment, to: "2025-01-01" }), "to")
    assertInvalid(yield* redeliver({ from: "soon", to: 7 }), "from", "to")
    assertInvalid(yield* redeliver({ jobId: "x" }), "jobId")
    for (const host of ["", "a b", "https://a.example", "a.example/x", "u@a.example", "a:99999", null]) {
      assertInvalid(yield* redeliver({ host }), "host")
    }
  })

  it.effect("rejects invalid filters", function* () {
    const { admin } = yield* RunningService
    for (const [field, value] of [["state", "dead"], ["host", "a/b"], ["limit", "0"], ["cursor", "x"]] as const) {
      assertInvalid(yield* admin("GET", `/callbacks?${field}=${value}`), field)
    }
    for (const [field, value] of [["state", "dead"], ["branch", "x"], ["since", "soon"], ["limit", "501"]] as const) {
      assertInvalid(yield* admin("GET", `/jobs?${field}=${value}`), field)
    }
  })

  it.effect("lists jobs by state and branch", function* () {
    const { branchId, key } = yield* Shop
    const { admin } = yield* RunningService
    const unknown = yield* endJob(key, { payload: newSlip({ outcome: "not-found" }).payload })
    const list = (query: string) =>
      Effect.map(
        admin<Page<JobRow & { readonly jobId: string }>>("GET", `/jobs?limit=500&${query}`),
        ({ data }) => data
      )
    const found = yield* eventually(
      list(`state=not_found&branch=${branchId}`),
      (page) => idsOf(page).includes(unknown)
    )
    assert.deepStrictEqual(new Set(found.items.map(({ state }) => state)), new Set(["not_found"]))
    assert.deepInclude(found.items.at(-1), { jobId: unknown, branchId, attempts: 1, nextAttemptAt: null })
    assert.notInclude(idsOf(yield* list("state=success")), unknown)
    assert.deepStrictEqual(idsOf(yield* list(`branch=${UNKNOWN_ID}`)), [])
  })
})
