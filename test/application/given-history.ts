import { Effect } from "effect"
import { handleCommand } from "../../application/events/handle-command.ts"
import {
  sealedForSlip,
  sealJobResult,
  sealJobSource,
  sealTransfer,
  slipDigest
} from "../../application/sealing/sealed-data.ts"
import { branches, callbacks, jobs, slips, streamOf, verifications } from "../../domain/events/aggregates.ts"
import { satang } from "../../domain/money.ts"
import { isoTime } from "../../domain/time.ts"
import { enqueueCommand } from "./enqueue-command.ts"
import { byService } from "./given-intake.ts"
import { ids } from "./given-trail.ts"
import { transferOf } from "./given-verifier.ts"
import type { newSlip } from "../support/client.ts"
import { withoutLaterFields } from "../support/event-fixtures.ts"

/** The time that many minutes after the first event, in milliseconds. */
export const minute = (count: number): number => Date.parse("2026-11-21T05:00:00.000Z") + count * 60_000
export const time = (count: number): string => isoTime(minute(count))

export const branchId = "silom"
export const jobId = ids[0] ?? ""
const sealed = { k: "m", n: "n", c: "c" }

/** A branch with a quota of 5, which is renamed after 10 minutes and loses its key after 20. */
export const givenBranch = Effect.gen(function* () {
  const stream = streamOf.branch(branchId)
  yield* handleCommand(branches, stream, {
    _tag: "CreateBranch",
    branchId,
    serviceId: "service-1",
    isMain: true,
    name: "Silom",
    keyDigest: "key-1",
    webhookSecret: sealed,
    at: time(0),
    settings: { quota: 5, webhookUrl: "https://shop.example/hook?token=t0k3n" }
  }, byService("b/0", minute(0)))
  const settings = { name: "Asok", quota: null, ipWhitelist: ["10.0.0.0/8"] }
  yield* handleCommand(branches, stream, { _tag: "ChangeBranch", settings }, byService("b/1", minute(10)))
  yield* handleCommand(branches, stream, { _tag: "RotateApiKey", keyDigest: "key-2" }, byService("b/2", minute(20)))
  yield* handleCommand(branches, stream, { _tag: "DeactivateBranch" }, byService("b/3", minute(30)))
})

/**
 * A job that is accepted at minute 0, fails once at 1 and is verified at 2. Its callback fails at 3 and is delivered
 * at 4.
 */
export const givenJob = Effect.fnUntraced(function* (slip: ReturnType<typeof newSlip>) {
  const { payload, sendingBank, transRef } = slip
  const digest = yield* slipDigest(sendingBank, transRef)
  const job = streamOf.job(jobId)
  const callbackUrl = "https://shop.example/told?token=t0k3n"
  const source = yield* sealJobSource({ payload }, jobId)
  const enqueue = enqueueCommand({ jobId, branchId, at: time(0), source, callbackUrl })
  yield* handleCommand(jobs, job, enqueue, byService("j/0", minute(0)))
  yield* handleCommand(jobs, job, {
    _tag: "FailAttempt",
    attempt: 1,
    at: time(1),
    code: "SLIP_PENDING",
    why: "the bank does not know it yet",
    slipDigest: digest,
    gateway: "stub",
    gatewayMillis: 3,
    upstream: null,
    askedBefore: [],
    nextAttemptAt: time(2),
    result: null
  }, byService("j/1", minute(1)))
  const stream = streamOf.slip("service-1", digest)
  yield* handleCommand(slips, stream, {
    _tag: "VerifySlip",
    verificationId: jobId,
    serviceId: "service-1",
    branchId,
    at: time(2),
    month: "2026-11",
    remark: null,
    expectedAmount: satang(100_00),
    matching: null,
    ...withoutLaterFields,
    evidence: {
      sendingBank,
      amount: satang(150_050),
      transferredAt: "2026-11-21T11:59:00+07:00",
      transfer: yield* sealTransfer(
        transferOf(slip),
        sealedForSlip(stream, { serviceId: "service-1", slipDigest: digest, verificationId: jobId })
      ),
      gateway: "stub",
      gatewayMillis: 7,
      upstream: null,
      askedBefore: []
    }
  }, byService(jobId, minute(2)))
  yield* handleCommand(jobs, job, {
    _tag: "Succeed",
    attempt: 2,
    at: time(2),
    charged: true,
    isDuplicate: false,
    slipDigest: digest,
    result: yield* sealJobResult("{}", jobId)
  }, byService("j/2", minute(2)))
  const callback = streamOf.callback(jobId)
  const send = (attempt: number) =>
    handleCommand(callbacks, callback, {
      _tag: "SendCallback",
      jobId,
      branchId,
      url: callbackUrl,
      bodyDigest: "d",
      attempt,
      at: time(2 + attempt)
    }, byService(`c/${attempt}`, minute(2 + attempt)))
  yield* send(1)
  yield* handleCommand(callbacks, callback, {
    _tag: "RecordOutcome",
    attempt: 1,
    at: time(3),
    outcome: { _tag: "Failed", status: 503, reason: "it answered 503", tookMillis: 9, retryAt: time(4) }
  }, byService("c/1/end", minute(3)))
  yield* send(2)
  const outcome = { _tag: "Delivered", status: 204, tookMillis: 9 } as const
  yield* handleCommand(
    callbacks,
    callback,
    { _tag: "RecordOutcome", attempt: 2, at: time(4), outcome },
    byService("c/2/end", minute(4))
  )
})

/**
 * Another branch of the service verifies the same slip after 5 minutes. A verification by another service fails
 * after 6.
 */
export const givenRepeats = Effect.fnUntraced(function* ({ sendingBank, transRef }: ReturnType<typeof newSlip>) {
  const digest = yield* slipDigest(sendingBank, transRef)
  const again = ids[1] ?? ""
  yield* handleCommand(slips, streamOf.slip("service-1", digest), {
    _tag: "VerifySlip",
    verificationId: again,
    serviceId: "service-1",
    branchId: "sathorn",
    at: time(5),
    month: "2026-11",
    remark: null,
    expectedAmount: null,
    matching: null,
    ...withoutLaterFields,
    evidence: null
  }, byService(again, minute(5)))
  const failed = ids[2] ?? ""
  yield* handleCommand(verifications, streamOf.verification(failed), {
    _tag: "RecordFailure",
    verificationId: failed,
    serviceId: "service-9",
    branchId: "elsewhere",
    at: time(6),
    code: "API_SERVER_ERROR",
    why: "the bank is unavailable",
    slipDigest: digest,
    gateway: "stub",
    gatewayMillis: 9,
    upstream: null,
    askedBefore: []
  }, byService(failed, minute(6)))
})

/** After 7 minutes, the branch sends a TrueMoney slip to the endpoint for slips of banks. */
export const givenWrongKind = Effect.gen(function* () {
  const verificationId = ids[3] ?? ""
  yield* handleCommand(verifications, streamOf.verification(verificationId), {
    _tag: "RecordFailure",
    verificationId,
    serviceId: "service-1",
    branchId,
    at: time(7),
    code: "SLIP_NOT_FOUND",
    why: "the slip is from the TrueMoney wallet",
    slipDigest: null,
    gateway: null,
    gatewayMillis: null,
    upstream: null,
    askedBefore: [],
    wrongKind: "truemoney"
  }, byService(verificationId, minute(7)))
})

export const endedJobId = ids[4] ?? ""

/** A job that is accepted at minute 0, and whose only attempt finds no slip at minute 8. */
export const givenEndedJob = Effect.gen(function* () {
  const job = streamOf.job(endedJobId)
  const source = yield* sealJobSource({ payload: "no slip" }, endedJobId)
  const enqueue = enqueueCommand({ jobId: endedJobId, branchId, at: time(0), source, callbackUrl: null })
  yield* handleCommand(jobs, job, enqueue, byService("e/0", minute(0)))
  yield* handleCommand(jobs, job, {
    _tag: "FailAttempt",
    attempt: 1,
    at: time(8),
    code: "SLIP_NOT_FOUND",
    why: "the bank knows no such transfer",
    slipDigest: "d",
    gateway: "stub",
    gatewayMillis: 3,
    upstream: null,
    askedBefore: [],
    nextAttemptAt: null,
    result: yield* sealJobResult("{}", endedJobId)
  }, byService("e/1", minute(8)))
})
