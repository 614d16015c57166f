import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { callbacks, jobs, streamOf } from "../../../application/aggregates.ts"
import { changeBranch } from "../../../application/commands/branches.ts"
import { sealJobResult, sealJobSource } from "../../../application/commands/job-vault.ts"
import { slipDigest } from "../../../application/commands/slip-vault.ts"
import { BankAccounts } from "../../../application/queries/bank-accounts.ts"
import { SlipVerifier } from "../../../application/commands/verify-slip.ts"
import { handleCommand } from "../../../application/handle-command.ts"
import { duplicatesModel } from "../../../application/models/duplicates.ts"
import { jobsModel } from "../../../application/models/jobs.ts"
import { modelName } from "../../../application/models/model-name.ts"
import { BankGateway, type GatewayAnswer } from "../../../application/ports/bank-gateway.ts"
import { Egress } from "../../../application/ports/egress.ts"
import { EventStore } from "../../../application/ports/event-store.ts"
import { ReadModels } from "../../../application/ports/read-models.ts"
import { SlipReader } from "../../../application/ports/slip-reader.ts"
import { trail } from "../../../application/queries/trail.ts"
import { newSlip } from "../../support/client.ts"
import { isoTime } from "../../../domain/time.ts"
import { byService } from "../given-intake.ts"
import { layerOffice, newService, operation } from "../given-office.ts"
import { callerOf, transferOf, types } from "../given-verifier.ts"

const unknown = newSlip()

const layerBank = Layer.succeed(BankGateway, BankGateway.of({
  verify: (question) => {
    const answer: GatewayAnswer = question.transRef === unknown.transRef
      ? { _tag: "NotFound" }
      : { _tag: "Found", transfer: transferOf(question) }
    return Effect.succeed({ gateway: "stub", tookMillis: 1, answer, upstream: null, before: [] })
  }
}))

const layerVerifying = SlipVerifier.layer.pipe(
  Layer.provide(Layer.mergeAll(layerBank, Layer.mock(BankAccounts, {}), Layer.mock(SlipReader, {}), Layer.mock(Egress, {}))),
  Layer.provideMerge(layerOffice)
)

const ids = Array.from({ length: 9 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`)

const verify = Effect.fnUntraced(function*(id: number, text: string, branchId: string, serviceId = "service-1") {
  const verifier = yield* SlipVerifier
  return yield* Effect.exit(verifier.verify({
    verificationId: ids[id] ?? "",
    caller: callerOf({ branchId, serviceId }),
    source: { _tag: "Payload", text },
    correlationId: "request"
  }))
})

const projected = Effect.gen(function*() {
  const head = yield* (yield* EventStore).head
  const models = yield* ReadModels
  for (const model of [duplicatesModel, jobsModel]) yield* models.awaitPosition(modelName(model), head, 10_000)
})

const at = Date.parse("2026-11-21T05:00:00.000Z")
const callbackUrl = "https://shop.example/told?token=t0k3n"

/** A slip that was handed over, and failed once because its bank was away. */
const handOver = Effect.fnUntraced(function*(jobId: string, slip: ReturnType<typeof newSlip>, branchId: string) {
  const { payload, sendingBank, transRef } = slip
  yield* handleCommand(jobs, streamOf.job(jobId), {
    _tag: "Enqueue",
    jobId,
    batchId: null,
    batchIndex: null,
    batchSize: null,
    serviceId: "service-1",
    branchId,
    at: isoTime(at),
    month: "2026-11",
    charged: true,
    source: yield* sealJobSource({ payload }),
    remark: null,
    expectedAmount: null,
    callbackUrl
  }, byService(jobId, at))
  yield* handleCommand(jobs, streamOf.job(jobId), {
    _tag: "FailAttempt",
    attempt: 1,
    at: isoTime(at),
    code: "API_SERVER_ERROR",
    why: "the bank is away",
    slipDigest: yield* slipDigest(sendingBank, transRef),
    gateway: "stub",
    gatewayMillis: 3,
    nextAttemptAt: isoTime(at + 1_000),
    result: null
  }, byService(`${jobId}/1`, at))
})

/** It is verified then, and goes out. */
const succeed = Effect.fnUntraced(function*(id: number, slip: ReturnType<typeof newSlip>, branchId: string) {
  const jobId = ids[id] ?? ""
  yield* verify(id, slip.payload, branchId)
  yield* handleCommand(jobs, streamOf.job(jobId), {
    _tag: "Succeed",
    attempt: 2,
    at: isoTime(at),
    charged: true,
    isDuplicate: false,
    slipDigest: yield* slipDigest(slip.sendingBank, slip.transRef),
    result: yield* sealJobResult("{}")
  }, byService(`${jobId}/2`, at))
  yield* handleCommand(callbacks, streamOf.callback(jobId), {
    _tag: "SendCallback",
    jobId,
    branchId,
    url: callbackUrl,
    bodyDigest: "d1",
    attempt: 1,
    at: isoTime(at)
  }, byService(`${jobId}/3`, at))
})

const course = [
  "VerificationEnqueued",
  "VerificationAttemptFailed",
  "SlipVerified",
  "JobSucceeded",
  "CallbackScheduled",
  "CallbackSent"
]

describe("the trail", () => {
  it.live("of a verification is its own event, in any case of its id, and none of others' with the same slip", () =>
    Effect.gen(function*() {
      const slip = newSlip()
      yield* verify(0, slip.payload, "branch-1")
      yield* verify(3, slip.payload, "branch-1")
      yield* verify(1, slip.payload, "branch-2")
      yield* verify(2, unknown.payload, "branch-1")
      yield* projected

      assert.deepStrictEqual(types(yield* trail({ _tag: "Verification", id: ids[1] ?? "" })), ["SlipVerifiedAgain"])
      assert.deepStrictEqual(
        types(yield* trail({ _tag: "Verification", id: ids[2]?.toUpperCase() ?? "" })),
        ["VerificationFailed"]
      )
    }).pipe(Effect.provide(layerVerifying)))

  it.live("of a slip is everything that happened to it in every service, oldest first", () =>
    Effect.gen(function*() {
      const slip = newSlip()
      yield* verify(0, slip.payload, "branch-1")
      yield* verify(1, slip.payload, "branch-9", "service-9")
      yield* verify(2, newSlip().payload, "branch-1")
      yield* verify(3, slip.payload, "branch-2")
      yield* projected

      const { sendingBank, transRef } = slip
      const events = yield* trail({ _tag: "Slip", sendingBank, transRef })
      assert.deepStrictEqual(events.map(({ data }) => data["verificationId"]), [ids[0], ids[1], ids[3]])
    }).pipe(Effect.provide(layerVerifying)))

  it.live("of a slip that was looked for in vain has that too", () =>
    Effect.gen(function*() {
      yield* verify(0, unknown.payload, "branch-1")
      yield* projected
      const { sendingBank, transRef } = unknown
      assert.deepStrictEqual(types(yield* trail({ _tag: "Slip", sendingBank, transRef })), ["VerificationFailed"])
    }).pipe(Effect.provide(layerVerifying)))

  it.live("of a branch is what was done to it and what it verified, in the order in which it happened", () =>
    Effect.gen(function*() {
      const { mainBranch } = yield* newService()
      yield* verify(0, newSlip().payload, mainBranch.id)
      yield* verify(1, newSlip().payload, "branch-2")
      yield* changeBranch(mainBranch.id, { quota: 7 }, operation)
      yield* verify(2, "no slip", mainBranch.id)
      yield* projected

      const events = yield* trail({ _tag: "Branch", id: mainBranch.id })
      assert.deepStrictEqual(types(events).slice(-3), ["SlipVerified", "QuotaSet", "VerificationFailed"])
      assert.strictEqual(events[0]?.type, "BranchCreated")
      const positions = events.map(({ position }) => Number(position.commit))
      assert.deepStrictEqual(positions, [...positions].sort((a, b) => a - b))
    }).pipe(Effect.provide(layerVerifying)))

  it.live("of a job goes from its acceptance over its verdict to its callback, also under its verification's id", () =>
    Effect.gen(function*() {
      const slip = newSlip()
      const jobId = ids[0] ?? ""
      yield* handOver(jobId, slip, "branch-1")
      yield* succeed(0, slip, "branch-1")
      yield* verify(1, slip.payload, "branch-1")
      yield* projected
      assert.deepStrictEqual(types(yield* trail({ _tag: "Job", id: jobId.toUpperCase() })), course)
      assert.deepStrictEqual(types(yield* trail({ _tag: "Verification", id: jobId })), course)
      assert.deepStrictEqual(types(yield* trail({ _tag: "Verification", id: ids[1] ?? "" })), ["SlipVerifiedAgain"])
      assert.strictEqual((yield* Effect.flip(trail({ _tag: "Job", id: ids[1] ?? "" })))._tag, "TrailEmpty")
    }).pipe(Effect.provide(layerVerifying)))

  it.live("of a job shows no query of a URL", () =>
    Effect.gen(function*() {
      const slip = newSlip()
      yield* handOver(ids[0] ?? "", slip, "branch-1")
      yield* succeed(0, slip, "branch-1")
      yield* projected
      const events = yield* trail({ _tag: "Job", id: ids[0] ?? "" })
      assert.strictEqual(events[0]?.data["callbackUrl"], "https://shop.example/told")
      assert.notInclude(JSON.stringify(events.map(({ data }) => data)), "t0k3n")
    }).pipe(Effect.provide(layerVerifying)))

  it.live("of a slip has the jobs that read it, whatever came of them", () =>
    Effect.gen(function*() {
      const slip = newSlip()
      yield* handOver(ids[0] ?? "", slip, "branch-1")
      yield* succeed(0, slip, "branch-1")
      yield* handOver(ids[1] ?? "", slip, "branch-2")
      yield* handOver(ids[2] ?? "", newSlip(), "branch-1")
      yield* projected
      const { sendingBank, transRef } = slip
      const events = yield* trail({ _tag: "Slip", sendingBank, transRef })
      assert.deepStrictEqual(types(events), [...course, "VerificationEnqueued", "VerificationAttemptFailed"])
    }).pipe(Effect.provide(layerVerifying)))

  it.live("of a branch has its jobs, open and ended, and nothing twice", () =>
    Effect.gen(function*() {
      const slip = newSlip()
      yield* handOver(ids[0] ?? "", slip, "branch-1")
      yield* succeed(0, slip, "branch-1")
      yield* handOver(ids[1] ?? "", newSlip(), "branch-1")
      yield* handOver(ids[2] ?? "", newSlip(), "branch-2")
      yield* projected
      const events = yield* trail({ _tag: "Branch", id: "branch-1" })
      assert.deepStrictEqual(types(events), [...course, "VerificationEnqueued", "VerificationAttemptFailed"])
    }).pipe(Effect.provide(layerVerifying)))

  it.live("of what nobody has heard of is none", () =>
    Effect.gen(function*() {
      const subjects = [
        { _tag: "Job", id: ids[0] ?? "" },
        { _tag: "Verification", id: ids[0] ?? "" },
        { _tag: "Slip", sendingBank: "004", transRef: "A1" },
        { _tag: "Branch", id: "nothing" }
      ] as const
      for (const subject of subjects) assert.strictEqual((yield* Effect.flip(trail(subject)))._tag, "TrailEmpty")
    }).pipe(Effect.provide(layerVerifying)))
})
