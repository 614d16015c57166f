import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { callbacksModel, callbacksProjection } from "../../../projections/models/callbacks.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { type DeliveriesQuery, listDeliveries } from "../../../application/callbacks/list-callbacks.ts"
import { expireAll } from "../../../projections/engine/expire.ts"
import { isoTime } from "../../../domain/time.ts"
import { callbackEvent, jobEvent } from "../../projections/given-events.ts"
import { enqueued } from "../../projections/job-fixtures.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const begun = Date.parse("2026-11-21T05:00:00.000Z")
const host = "shop.example"

/** An attempt that failed with 503, a minute after the one before. */
const failed = (jobId: string, attempt: number, minute: number, branchId = "silom") => {
  const about = { jobId, branchId, host, attempt, at: isoTime(begun + minute * 60_000) }
  return [
    callbackEvent({ _tag: "CallbackSent", ...about }),
    callbackEvent({
      _tag: "CallbackAttemptFailed",
      ...about,
      status: 503,
      reason: "it answered 503",
      tookMillis: 40,
      nextAttemptAt: isoTime(begun + (minute + 1) * 60_000)
    })
  ]
}

const delivered = (jobId: string, attempt: number, minute: number) => {
  const about = { jobId, branchId: "silom", host, attempt, at: isoTime(begun + minute * 60_000) }
  return [
    callbackEvent({ _tag: "CallbackSent", ...about }),
    callbackEvent({ _tag: "CallbackDelivered", ...about, status: 204, tookMillis: 7 })
  ]
}

const history = [
  ...failed("j-1", 1, 0),
  ...failed("j-2", 1, 1),
  ...failed("j-3", 1, 1, "asoke"),
  ...failed("j-1", 2, 2),
  ...delivered("j-2", 2, 3),
  ...delivered("j-1", 3, 4)
]

const given = Effect.gen(function* () {
  const models = yield* ReadModels
  const writes = history.flatMap((event) => callbacksProjection.when(event))
  yield* models.apply(modelName(callbacksModel), { after: beginning, upTo: { commit: 1n, prepare: 1n }, writes })
  const store = yield* EventStore
  const jobs = [["j-1", "silom"], ["j-2", "silom"], ["j-3", "asoke"]] as const
  for (const [jobId, branchId] of jobs) {
    const event = jobEvent({ ...enqueued, jobId, branchId })
    yield* store.append(event.stream, "no-stream", [{ ...event, id: `job-${jobId}` }])
  }
  for (const [index, event] of history.entries()) {
    const revision = (yield* store.readStream(event.stream)).length - 1
    yield* store.append(event.stream, revision === -1 ? "no-stream" : revision, [{ ...event, id: `event-${index}` }])
  }
})

const query: DeliveriesQuery = { branchId: "silom", jobId: undefined, status: undefined, cursor: undefined, limit: 50 }

/** The listed attempts of each page. */
const attemptsByPage = Effect.fnUntraced(function* (more: Partial<DeliveriesQuery>) {
  const pages: Array<ReadonlyArray<string>> = []
  let cursor: string | undefined
  do {
    const page = yield* listDeliveries({ ...query, ...more, cursor })
    pages.push(page.items.map(({ attempt, jobId }) => `${jobId}#${attempt}`))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return pages
})

describe("the deliveries of a branch", () => {
  test("are all its attempts with their outcomes, oldest first", function* () {
    yield* given
    assert.deepStrictEqual(yield* attemptsByPage({}), [["j-1#1", "j-2#1", "j-1#2", "j-2#2", "j-1#3"]])
    const { items } = yield* listDeliveries(query)
    assert.deepStrictEqual(items[0], {
      jobId: "j-1",
      attempt: 1,
      host,
      at: isoTime(begun),
      status: "failed",
      httpStatus: 503,
      reason: "it answered 503",
      tookMillis: 40,
      nextAttemptAt: isoTime(begun + 60_000)
    })
    assert.deepInclude(items[4], { status: "delivered", httpStatus: 204, reason: null, nextAttemptAt: null })
  })

  test("are returned in pages", function* () {
    yield* given
    assert.deepStrictEqual(yield* attemptsByPage({ limit: 2 }), [["j-1#1", "j-2#1"], ["j-1#2", "j-2#2"], ["j-1#3"]])
    assert.deepStrictEqual(yield* attemptsByPage({ limit: 2, jobId: "j-1" }), [["j-1#1", "j-1#2"], ["j-1#3"]])
  })

  test("are returned newest first when the order says so, in pages", function* () {
    yield* given
    const order = "newest"
    assert.deepStrictEqual(yield* attemptsByPage({ order }), [["j-1#3", "j-2#2", "j-1#2", "j-2#1", "j-1#1"]])
    assert.deepStrictEqual(yield* attemptsByPage({ order, limit: 2 }), [["j-1#3", "j-2#2"], ["j-1#2", "j-2#1"], [
      "j-1#1"
    ]])
    assert.deepStrictEqual(yield* attemptsByPage({ order, limit: 2, jobId: "j-1" }), [["j-1#3", "j-1#2"], ["j-1#1"]])
    assert.deepStrictEqual(yield* attemptsByPage({ order, jobId: "j-1", status: "failed" }), [["j-1#2", "j-1#1"]])
  })

  test("of a job are those that have not left the read model", function* () {
    yield* given
    const models = yield* ReadModels
    const model = modelName(callbacksModel)
    yield* expireAll(callbacksProjection, { models, model }, begun)
    assert.deepStrictEqual(yield* attemptsByPage({ jobId: "j-1" }), [["j-1#2", "j-1#3"]])
    assert.deepStrictEqual(yield* attemptsByPage({ jobId: "j-1", order: "newest" }), [["j-1#3", "j-1#2"]])
  })

  test("are filtered by status and by job", function* () {
    yield* given
    assert.deepStrictEqual(yield* attemptsByPage({ status: "delivered" }), [["j-2#2", "j-1#3"]])
    assert.deepStrictEqual(yield* attemptsByPage({ jobId: "j-2" }), [["j-2#1", "j-2#2"]])
    assert.deepStrictEqual(yield* attemptsByPage({ jobId: "j-1", status: "failed" }), [["j-1#1", "j-1#2"]])
    assert.deepStrictEqual(yield* attemptsByPage({ jobId: "j-1", status: "failed", limit: 1 }), [["j-1#1"], [
      "j-1#2"
    ]])
    assert.deepStrictEqual(yield* attemptsByPage({ status: "rejected" }), [[]])
  })

  test("do not include attempts of another branch or of an unknown job", function* () {
    yield* given
    assert.deepStrictEqual(yield* attemptsByPage({ jobId: "j-3" }), [[]])
    assert.deepStrictEqual(yield* attemptsByPage({ jobId: "j-9" }), [[]])
    assert.deepStrictEqual(yield* attemptsByPage({ branchId: "siam" }), [[]])
  })
})
