import { Effect, Layer } from "effect"
import { BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import { handleCommand } from "../../application/events/handle-command.ts"
import { sealJobResult, sealJobSource, slipDigest } from "../../application/sealing/sealed-data.ts"
import type { TrailPage } from "../../application/trail/trail-page.ts"
import { trail, type TrailRequest, type TrailSubject } from "../../application/trail/trail.ts"
import { SlipVerifier } from "../../application/verification/verify-slip.ts"
import { callbacks, jobs, streamOf } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { isoTime } from "../../domain/time.ts"
import { BankGateway, type GatewayAnswer } from "../../ports/bank-gateway.ts"
import { Egress } from "../../ports/egress.ts"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { SlipReader } from "../../ports/slip-reader.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { bankAccountsModel } from "../../projections/models/bank-accounts.ts"
import { duplicatesModel } from "../../projections/models/duplicates.ts"
import { jobsModel } from "../../projections/models/jobs.ts"
import { trailIndexModel } from "../../projections/models/trail-index.ts"
import { verificationsModel } from "../../projections/models/verifications.ts"
import { enqueueCommand } from "./enqueue-command.ts"
import { byService } from "./given-intake.ts"
import { layerApplication } from "./given-application.ts"
import { transferOf } from "./given-verifier.ts"
import { layerUnchargedLimiterMemory } from "../support/uncharged-limiter.ts"
import { newSlip } from "../support/client.ts"
import { branchActor } from "../../domain/actor.ts"

/** A slip that the bank does not know. */
export const unknownSlip = newSlip()

const layerBank = Layer.succeed(
  BankGateway,
  BankGateway.of({
    verifiesWallets: false,
    verify: (question) => {
      const answer: GatewayAnswer = question.transRef === unknownSlip.transRef
        ? { _tag: "NotFound" }
        : { _tag: "Found", transfer: transferOf(question) }
      return Effect.succeed({ gateway: "stub", tookMillis: 1, answer, upstream: null, before: [] })
    }
  })
)

export const layerVerifying = SlipVerifier.layer.pipe(
  Layer.provide(
    Layer.mergeAll(
      layerBank,
      layerUnchargedLimiterMemory(),
      Layer.mock(BankAccounts, {}),
      Layer.mock(SlipReader, {}),
      Layer.mock(Egress, {})
    )
  ),
  Layer.provideMerge(layerApplication)
)

export const ids = Array.from({ length: 9 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`)

export const verify = Effect.fnUntraced(
  function* (id: number, text: string, branchId: string, serviceId = "service-1") {
    const verifier = yield* SlipVerifier
    return yield* Effect.exit(verifier.verify({
      verificationId: ids[id] ?? "",
      serviceId,
      branchId,
      quota: null,
      source: { _tag: "Payload", text },
      actor: branchActor(branchId),
      correlationId: "request"
    }))
  }
)

/** Waits until the read models of the trail are caught up. */
export const projected = Effect.gen(function* () {
  const head = yield* (yield* EventStore).head
  const models = yield* ReadModels
  for (const model of [duplicatesModel, trailIndexModel, verificationsModel, jobsModel, bankAccountsModel]) {
    yield* models.awaitPosition(modelName(model), head, 10_000)
  }
})

const at = Date.parse("2026-11-21T05:00:00.000Z")
const callbackUrl = "https://shop.example/told?token=t0k3n"

/** A slip that was enqueued and failed once because its bank was unavailable. */
export const enqueueAndFail = Effect.fnUntraced(
  function* (jobId: string, slip: ReturnType<typeof newSlip>, branchId: string) {
    const { payload, sendingBank, transRef } = slip
    const source = yield* sealJobSource({ payload }, jobId)
    const enqueue = enqueueCommand({ jobId, branchId, at: isoTime(at), source, callbackUrl })
    yield* handleCommand(jobs, streamOf.job(jobId), enqueue, byService(jobId, at))
    yield* handleCommand(jobs, streamOf.job(jobId), {
      _tag: "FailAttempt",
      attempt: 1,
      at: isoTime(at),
      code: "API_SERVER_ERROR",
      why: "the bank is unavailable",
      slipDigest: yield* slipDigest(sendingBank, transRef),
      gateway: "stub",
      gatewayMillis: 3,
      upstream: null,
      askedBefore: [],
      nextAttemptAt: isoTime(at + 1_000),
      result: null
    }, byService(`${jobId}/1`, at))
  }
)

/** Verifies the slip of a job, ends the job and sends its callback. */
export const succeed = Effect.fnUntraced(function* (id: number, slip: ReturnType<typeof newSlip>, branchId: string) {
  const jobId = ids[id] ?? ""
  yield* verify(id, slip.payload, branchId)
  yield* handleCommand(jobs, streamOf.job(jobId), {
    _tag: "Succeed",
    attempt: 2,
    at: isoTime(at),
    charged: true,
    isDuplicate: false,
    slipDigest: yield* slipDigest(slip.sendingBank, slip.transRef),
    result: yield* sealJobResult("{}", jobId)
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

/** The events of all pages of a trail. */
export const pagesOf = Effect.fnUntraced(function* (subject: TrailSubject | TrailRequest, limit: number) {
  const pages: Array<ReadonlyArray<RecordedEvent>> = []
  let cursor: string | undefined
  do {
    const page: TrailPage = yield* trail(subject, { cursor, limit, upTo: undefined })
    pages.push(page.events)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return pages
})
