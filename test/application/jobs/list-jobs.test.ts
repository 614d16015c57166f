import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { jobsModel, jobsProjection, type JobsQuery, listJobs } from "../../../projections/models/jobs.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { expireAll } from "../../../projections/engine/expire.ts"
import { isoTime } from "../../../domain/time.ts"
import { jobEvent } from "../../projections/given-events.ts"
import { enqueued, notFound, succeeded } from "../../projections/job-fixtures.ts"
import { countedReads } from "../given-models.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const begun = Date.parse("2026-11-21T05:00:00.000Z")
const minute = (count: number): string => isoTime(begun + count * 60_000)

const of = (jobId: string, branchId = "silom") => ({ jobId, branchId })

const history = [
  jobEvent({ ...enqueued, ...of("j-1"), at: minute(0), nextAttemptAt: minute(0) }),
  jobEvent({ ...enqueued, ...of("j-2"), at: minute(1), nextAttemptAt: minute(1) }),
  jobEvent({ ...enqueued, ...of("j-3", "asoke"), at: minute(2), nextAttemptAt: minute(2) }),
  jobEvent({ ...enqueued, ...of("j-4"), at: minute(3), nextAttemptAt: minute(3) }),
  jobEvent({ ...notFound, ...of("j-1"), at: minute(4) }),
  jobEvent({ ...succeeded, ...of("j-4"), at: minute(5) })
]

const given = Effect.gen(function* () {
  const models = yield* ReadModels
  const writes = history.flatMap((event) => jobsProjection.when(event))
  yield* models.apply(modelName(jobsModel), { after: beginning, upTo: { commit: 1n, prepare: 1n }, writes })
})

const query: JobsQuery = { state: undefined, branchId: undefined, cursor: undefined, limit: 50 }

/** The listed job ids of each page. */
const idsByPage = Effect.fnUntraced(function* (more: Partial<JobsQuery>) {
  const pages: Array<ReadonlyArray<string>> = []
  let cursor: string | undefined
  do {
    const page = yield* listJobs({ ...query, ...more, cursor })
    pages.push(page.items.map(({ jobId }) => jobId))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return pages
})

describe("the list of jobs", () => {
  test("has all jobs in the order in which they entered their state", function* () {
    yield* given
    assert.deepStrictEqual(yield* idsByPage({}), [["j-2", "j-3", "j-1", "j-4"]])
    const { items: [first] } = yield* listJobs(query)
    assert.deepStrictEqual(first, {
      jobId: "j-2",
      state: "pending",
      branchId: "silom",
      createdAt: minute(1),
      attempts: 0,
      nextAttemptAt: minute(1)
    })
  })

  test("is filtered by state, branch and time", function* () {
    yield* given
    assert.deepStrictEqual(yield* idsByPage({ state: "pending" }), [["j-2", "j-3"]])
    assert.deepStrictEqual(yield* idsByPage({ state: "success" }), [["j-4"]])
    assert.deepStrictEqual(yield* idsByPage({ state: "not_found", branchId: "silom" }), [["j-1"]])
    assert.deepStrictEqual(yield* idsByPage({ branchId: "silom" }), [["j-2", "j-1", "j-4"]])
    assert.deepStrictEqual(yield* idsByPage({ branchId: "siam" }), [[]])
    assert.deepStrictEqual(yield* idsByPage({ from: begun + 2 * 60_000 }), [["j-3", "j-1", "j-4"]])
    assert.deepStrictEqual(yield* idsByPage({ to: begun + 4 * 60_000 }), [["j-2", "j-3", "j-1"]])
    assert.deepStrictEqual(yield* idsByPage({ from: begun + 2 * 60_000, to: begun + 2 * 60_000 }), [["j-3"]])
    assert.deepStrictEqual(yield* idsByPage({ branchId: "silom", from: begun + 2 * 60_000 }), [["j-1", "j-4"]])
  })

  test("is returned newest first when the order says so, in pages", function* () {
    yield* given
    const order = "newest"
    assert.deepStrictEqual(yield* idsByPage({ order }), [["j-4", "j-1", "j-3", "j-2"]])
    assert.deepStrictEqual(yield* idsByPage({ order, limit: 3 }), [["j-4", "j-1", "j-3"], ["j-2"]])
    assert.deepStrictEqual(yield* idsByPage({ order, from: begun + 2 * 60_000 }), [["j-4", "j-1", "j-3"]])
    assert.deepStrictEqual(yield* idsByPage({ order, branchId: "silom", limit: 2 }), [["j-4", "j-1"], ["j-2"]])
  })

  test("has no job that left it after the retention, for a branch either", function* () {
    yield* given
    const models = yield* ReadModels
    yield* expireAll(jobsProjection, { models, model: modelName(jobsModel) }, begun + 4 * 60_000 - 60_000)
    for (const order of ["oldest", "newest"] as const) {
      const inOrder = (...ids: ReadonlyArray<string>) => [order === "oldest" ? ids : ids.toReversed()]
      assert.deepStrictEqual(yield* idsByPage({ order }), inOrder("j-2", "j-3", "j-4"))
      assert.deepStrictEqual(yield* idsByPage({ order, branchId: "silom" }), inOrder("j-2", "j-4"))
      assert.deepStrictEqual(yield* idsByPage({ order, branchId: "silom", state: "not_found" }), [[]])
    }
  })

  test("reads the same for a page of few and of many jobs", function* () {
    const models = yield* ReadModels
    const { counted, reads } = yield* countedReads
    const readsOf = Effect.fnUntraced(function* (more: Partial<JobsQuery>) {
      reads.count = 0
      const { nextCursor } = yield* listJobs({ ...query, limit: 5, ...more })
      yield* listJobs({ ...query, limit: 5, ...more, cursor: nextCursor ?? undefined })
      return reads.count
    }, Effect.provideService(ReadModels, counted))
    const queries: ReadonlyArray<Partial<JobsQuery>> = [
      {},
      { order: "newest" },
      { branchId: "silom", order: "newest" },
      { state: "success", from: begun }
    ]

    let jobs = 0
    const fillTo = Effect.fnUntraced(function* (count: number) {
      const events = Array.from({ length: count - jobs }, (_, index) => {
        const about = { ...of(`j-${jobs + index}`), at: isoTime(begun + jobs + index) }
        return [jobEvent({ ...enqueued, ...about }), jobEvent({ ...succeeded, ...about })]
      })
      const model = modelName(jobsModel)
      const after = yield* models.checkpoint(model)
      const upTo = { commit: BigInt(count), prepare: BigInt(count) }
      yield* models.apply(model, {
        after,
        upTo,
        writes: events.flat().flatMap((event) => jobsProjection.when(event))
      })
      jobs = count
    })
    yield* fillTo(20)
    const few = yield* Effect.forEach(queries, readsOf)
    yield* fillTo(2_000)
    assert.deepStrictEqual(yield* Effect.forEach(queries, readsOf), few)
  })

  test("is returned in pages, also across states", function* () {
    yield* given
    assert.deepStrictEqual(yield* idsByPage({ limit: 1 }), [["j-2"], ["j-3"], ["j-1"], ["j-4"]])
    assert.deepStrictEqual(yield* idsByPage({ limit: 2, from: begun + 2 * 60_000 }), [["j-3", "j-1"], ["j-4"]])
  })
})
