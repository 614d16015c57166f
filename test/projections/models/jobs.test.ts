import { assert, describe, it } from "@effect/vitest"
import { jobRows, jobSets, jobsProjection } from "../../../projections/models/jobs.ts"
import type { JobEvent } from "../../../domain/job.ts"
import { expired, jobEvent, projected } from "../given-events.ts"
import { attemptFailed, enqueued, notFound, succeeded, time } from "../job-fixtures.ts"

const given = (...events: ReadonlyArray<JobEvent>) => projected(jobsProjection, ...events.map(jobEvent))

const rowAfter = (...events: ReadonlyArray<JobEvent>) => given(...events).row(jobRows, "j-1")

describe("the jobs", () => {
  it("are pending when they are enqueued, open since then and due at once", () => {
    const { members, sets } = given(enqueued)
    assert.deepStrictEqual(members(jobSets.due), { "silom j-1": Date.parse(time.begun) })
    assert.deepStrictEqual(members(jobSets.open), { "j-1": Date.parse(time.begun) })
    assert.deepStrictEqual(members(jobSets.inState("pending")), { "j-1": Date.parse(time.begun) })
    assert.deepStrictEqual(members(jobSets.inStateOf("pending", "silom")), { "j-1": Date.parse(time.begun) })
    assert.deepStrictEqual(sets, ["due", "open", "state:pending", "state:pending:silom"])
    assert.deepStrictEqual(rowAfter(enqueued), {
      state: "pending",
      branchId: "silom",
      createdAt: time.begun,
      attempts: 0,
      nextAttemptAt: time.begun
    })
  })

  it("are due again later when an attempt failed, and open since they were enqueued", () => {
    const { members } = given(enqueued, attemptFailed)
    assert.deepStrictEqual(members(jobSets.due), { "silom j-1": Date.parse(time.retry) })
    assert.deepStrictEqual(members(jobSets.open), { "j-1": Date.parse(time.begun) })
    assert.deepInclude(rowAfter(enqueued, attemptFailed), {
      state: "pending",
      createdAt: time.begun,
      attempts: 1,
      nextAttemptAt: time.retry
    })
  })

  it("leave the rows and the list of all branches after the retention, and stay in trails", () => {
    for (const [state, event] of [["success", succeeded], ["not_found", notFound]] as const) {
      const { row, sets } = expired(
        jobsProjection,
        jobSets.inState(state),
        ...[enqueued, attemptFailed, event].map(jobEvent)
      )
      const ofSlip = state === "success" ? ["slip:d1"] : []
      assert.deepStrictEqual(sets, [...ofSlip, `state:${state}:silom`])
      assert.isUndefined(row(jobRows, "j-1"))
    }
  })

  it("stay while they have not ended", () => {
    const expiring = jobsProjection.expiring?.map(({ set }) => set)
    assert.deepStrictEqual(expiring, ["state:success", "state:not_found"])
  })

  it.each(
    [
      ["success", [enqueued, attemptFailed, succeeded]],
      ["not_found", [enqueued, attemptFailed, { ...attemptFailed, attempt: 2, nextAttemptAt: null }, notFound]]
    ] as const
  )("are no longer due, open or pending when they ended with %s", (state, events) => {
    const { members, sets } = given(...events)
    const ofSlip = state === "success" ? ["slip:d1"] : []
    assert.deepStrictEqual(sets, [...ofSlip, `state:${state}`, `state:${state}:silom`])
    for (const set of [jobSets.inState(state), jobSets.inStateOf(state, "silom")]) {
      assert.deepStrictEqual(members(set), { "j-1": Date.parse(time.ended) })
    }
    assert.deepStrictEqual(rowAfter(...events), {
      state,
      branchId: "silom",
      createdAt: time.begun,
      attempts: 2,
      nextAttemptAt: null
    })
  })

  it("are found by their slip, whether it was verified or not", () => {
    const read = { ...attemptFailed, slipDigest: "d1" }
    assert.deepStrictEqual(given(enqueued).members(jobSets.ofSlip("d1")), {})
    assert.deepStrictEqual(given(enqueued, read).members(jobSets.ofSlip("d1")), { "j-1": Date.parse(time.failed) })
    assert.deepStrictEqual(given(enqueued, read, succeeded).members(jobSets.ofSlip("d1")), {
      "j-1": Date.parse(time.ended)
    })
  })

  it("do not affect each other", () => {
    const { members } = given(enqueued, { ...enqueued, jobId: "j-2", nextAttemptAt: time.retry }, succeeded)
    assert.deepStrictEqual(members(jobSets.due), { "silom j-2": Date.parse(time.retry) })
  })
})
