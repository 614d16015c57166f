import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { changeBranch } from "../../../application/provisioning/branches.ts"
import { trail, type TrailSubject } from "../../../application/trail/trail.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { expireAll } from "../../../projections/engine/expire.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { callbacksProjection } from "../../../projections/models/callbacks.ts"
import { jobRows, jobsProjection } from "../../../projections/models/jobs.ts"
import { newSlip } from "../../support/client.ts"
import { newService, operation } from "../given-application.ts"
import { enqueueAndFail, ids, layerVerifying, projected, succeed, unknownSlip, verify } from "../given-trail.ts"
import { types } from "../given-verifier.ts"

const test = it.live.with(() => layerVerifying)

const jobEventTypes = [
  "VerificationEnqueued",
  "VerificationAttemptFailed",
  "SlipVerified",
  "JobSucceeded",
  "CallbackScheduled",
  "CallbackSent"
]

/** The trail of a subject, whole or up to a time. */
const eventsOf = (subject: TrailSubject, upTo?: number) =>
  Effect.map(trail(subject, { limit: 500, upTo }), ({ events }) => events)

describe("the trail", () => {
  test("of a verification has its own event and no other event of the slip, for any case of the id", function* () {
    const slip = newSlip()
    yield* verify(0, slip.payload, "branch-1")
    yield* verify(3, slip.payload, "branch-1")
    yield* verify(1, slip.payload, "branch-2")
    yield* verify(2, unknownSlip.payload, "branch-1")
    yield* projected

    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Verification", id: ids[1] ?? "" })), ["SlipVerifiedAgain"])
    assert.deepStrictEqual(
      types(yield* eventsOf({ _tag: "Verification", id: ids[2]?.toUpperCase() ?? "" })),
      ["VerificationFailed"]
    )
  })

  test("of a slip has its events in every service, oldest first", function* () {
    const slip = newSlip()
    yield* verify(0, slip.payload, "branch-1")
    yield* verify(1, slip.payload, "branch-9", "service-9")
    yield* verify(2, newSlip().payload, "branch-1")
    yield* verify(3, slip.payload, "branch-2")
    yield* projected

    const { sendingBank, transRef } = slip
    const events = yield* eventsOf({ _tag: "Slip", sendingBank, transRef })
    assert.deepStrictEqual(events.map(({ data }) => data["verificationId"]), [ids[0], ids[1], ids[3]])
  })

  test("of a slip has failed verifications", function* () {
    yield* verify(0, unknownSlip.payload, "branch-1")
    yield* projected
    const { sendingBank, transRef } = unknownSlip
    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Slip", sendingBank, transRef })), ["VerificationFailed"])
  })

  test("of a branch has its changes and its verifications, oldest first", function* () {
    const { mainBranch } = yield* newService()
    yield* verify(0, newSlip().payload, mainBranch.id)
    yield* verify(1, newSlip().payload, "branch-2")
    yield* changeBranch(mainBranch.id, { quota: 7 }, operation)
    yield* verify(2, "no slip", mainBranch.id)
    yield* projected

    const events = yield* eventsOf({ _tag: "Branch", id: mainBranch.id })
    assert.deepStrictEqual(types(events).slice(-3), ["SlipVerified", "QuotaSet", "VerificationFailed"])
    assert.strictEqual(events[0]?.type, "BranchCreated")
    const positions = events.map(({ position }) => Number(position.commit))
    assert.deepStrictEqual(positions, [...positions].sort((a, b) => a - b))
  })

  test("of a job has its acceptance, verdict and callback, also under its verification's id", function* () {
    const slip = newSlip()
    const jobId = ids[0] ?? ""
    yield* enqueueAndFail(jobId, slip, "branch-1")
    yield* succeed(0, slip, "branch-1")
    yield* verify(1, slip.payload, "branch-1")
    yield* projected
    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Job", id: jobId.toUpperCase() })), jobEventTypes)
    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Verification", id: jobId })), jobEventTypes)
    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Verification", id: ids[1] ?? "" })), ["SlipVerifiedAgain"])
    assert.strictEqual((yield* Effect.flip(eventsOf({ _tag: "Job", id: ids[1] ?? "" })))._tag, "TrailEmpty")
  })

  test("of a job omits the query of a URL", function* () {
    const slip = newSlip()
    yield* enqueueAndFail(ids[0] ?? "", slip, "branch-1")
    yield* succeed(0, slip, "branch-1")
    yield* projected
    const events = yield* eventsOf({ _tag: "Job", id: ids[0] ?? "" })
    assert.strictEqual(events[0]?.data["callbackUrl"], "https://shop.example/told")
    assert.notInclude(JSON.stringify(events.map(({ data }) => data)), "t0k3n")
  })

  test("of a slip has all jobs that read it", function* () {
    const slip = newSlip()
    yield* enqueueAndFail(ids[0] ?? "", slip, "branch-1")
    yield* succeed(0, slip, "branch-1")
    yield* enqueueAndFail(ids[1] ?? "", slip, "branch-2")
    yield* enqueueAndFail(ids[2] ?? "", newSlip(), "branch-1")
    yield* projected
    const { sendingBank, transRef } = slip
    const events = yield* eventsOf({ _tag: "Slip", sendingBank, transRef })
    assert.deepStrictEqual(types(events), [...jobEventTypes, "VerificationEnqueued", "VerificationAttemptFailed"])
  })

  test("of a branch has its open and ended jobs, each event once", function* () {
    const slip = newSlip()
    yield* enqueueAndFail(ids[0] ?? "", slip, "branch-1")
    yield* succeed(0, slip, "branch-1")
    yield* enqueueAndFail(ids[1] ?? "", newSlip(), "branch-1")
    yield* enqueueAndFail(ids[2] ?? "", newSlip(), "branch-2")
    yield* projected
    const events = yield* eventsOf({ _tag: "Branch", id: "branch-1" })
    assert.deepStrictEqual(types(events), [...jobEventTypes, "VerificationEnqueued", "VerificationAttemptFailed"])
  })

  test("is the same after jobs and callbacks have left their lists", function* () {
    const slip = newSlip()
    yield* enqueueAndFail(ids[0] ?? "", slip, "branch-1")
    yield* succeed(0, slip, "branch-1")
    yield* projected
    const subjects: ReadonlyArray<TrailSubject> = [
      { _tag: "Job", id: ids[0] ?? "" },
      { _tag: "Verification", id: ids[0] ?? "" },
      { _tag: "Branch", id: "branch-1" },
      { _tag: "Slip", sendingBank: slip.sendingBank, transRef: slip.transRef }
    ]
    const before = yield* Effect.forEach(subjects, (subject) => eventsOf(subject))
    const models = yield* ReadModels
    for (const projection of [jobsProjection, callbacksProjection]) {
      yield* expireAll(projection, { models, model: modelName(projection) }, Infinity)
    }
    assert.isUndefined(yield* jobRows.get(ids[0] ?? ""))
    assert.deepStrictEqual(yield* Effect.forEach(subjects, (subject) => eventsOf(subject)), before)
  })

  test("of an unknown subject is empty", function* () {
    const subjects = [
      { _tag: "Job", id: ids[0] ?? "" },
      { _tag: "Verification", id: ids[0] ?? "" },
      { _tag: "Slip", sendingBank: "004", transRef: "A1" },
      { _tag: "Branch", id: "nothing" }
    ] as const
    for (const subject of subjects) assert.strictEqual((yield* Effect.flip(eventsOf(subject)))._tag, "TrailEmpty")
  })
})
