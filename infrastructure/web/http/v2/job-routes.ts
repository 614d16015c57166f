import { Effect, Layer } from "effect"
import { redeliverCallback } from "../../../../application/callbacks/redeliver-callbacks.ts"
import { SlipIntake } from "../../../../application/jobs/enqueue-slips.ts"
import { acceptedJobs, batch, job } from "../../../../application/jobs/job-view.ts"
import { anyJob } from "../../../../application/jobs/load-job.ts"
import type { SlipKind } from "../../../../application/verification/slip-source.ts"
import { requireWalletGateway } from "../../../../application/verification/wallet-slip.ts"
import { later } from "../../api/operations/later.ts"
import { idempotently } from "../operations/idempotency.ts"
import { branchOperation, type BranchRequestOf, v2Endpoint } from "../operations/operation-endpoint.ts"
import { checkCallbackUrls, unusablePictures } from "./batch-request.ts"
import { checkCallbackUrl } from "./callback-url.ts"
import { slipOperations } from "./decoded-operations.ts"

const accepted = (jobId: string) => ({ jobId, batchId: null, status: "pending" as const })

type EnqueueRequest = BranchRequestOf<typeof slipOperations.verifyBankAsync>
type BatchRequest = BranchRequestOf<typeof slipOperations.verifyBankBatch>

const enqueue = Effect.fnUntraced(function* (request: Omit<EnqueueRequest, "params">, kind: SlipKind) {
  const { body, caller, clientRequestId, correlationId } = request
  const slip = { ...body, kind }
  yield* checkCallbackUrl(slip.callbackUrl, caller.branchId)
  const { enqueue } = yield* SlipIntake
  return yield* idempotently(request, {
    run: (jobId) => Effect.as(enqueue({ jobId, caller, slip, correlationId, clientRequestId }), accepted(jobId)),
    recall: (jobId) => Effect.map(anyJob(jobId), (job) => job === undefined ? undefined : accepted(jobId))
  })
})

const acceptedBatch = (batchId: string, jobIds: ReadonlyArray<string>) => ({
  batchId,
  jobs: jobIds.map((jobId, index) => ({ index, jobId }))
})

const enqueueBatch = Effect.fnUntraced(function* (request: Omit<BatchRequest, "params">, kind: SlipKind) {
  const { body, caller, clientRequestId, correlationId } = request
  yield* checkCallbackUrls(body, caller.branchId)
  const slips = body.slips.map((slip) => ({ ...slip, kind, callbackUrl: slip.callbackUrl ?? body.callbackUrl }))
  const intake = yield* SlipIntake
  return yield* idempotently(request, {
    run: (batchId) =>
      intake.enqueueBatch({ batchId, caller, slips, correlationId, clientRequestId }).pipe(
        Effect.map((jobIds) => acceptedBatch(batchId, jobIds)),
        Effect.catchTag("PicturesUnusable", (error) => Effect.fail(unusablePictures(error)))
      ),
    recall: (batchId) =>
      Effect.map(
        acceptedJobs(batchId, slips.length),
        (jobIds) => jobIds === undefined ? undefined : acceptedBatch(batchId, jobIds)
      )
  })
})

/** Slips that are verified later, and their results (docs/spec/http.md, "Async"). */
export const layerJobs = Layer.mergeAll(
  v2Endpoint(slipOperations.verifyBankAsync, (request) => enqueue(request, "bank")),
  v2Endpoint(slipOperations.verifyBankBatch, (request) => enqueueBatch(request, "bank")),
  v2Endpoint(
    slipOperations.verifyWalletAsync,
    (request) => Effect.andThen(requireWalletGateway, enqueue(request, "truemoney"))
  ),
  v2Endpoint(
    slipOperations.verifyWalletBatch,
    (request) => Effect.andThen(requireWalletGateway, enqueueBatch(request, "truemoney"))
  ),
  v2Endpoint(later.getJob, ({ caller: { branchId }, params: { jobId } }) => job(jobId, branchId)),
  v2Endpoint(later.getBatch, ({ caller: { branchId }, params: { batchId } }) => batch(batchId, branchId)),
  v2Endpoint(
    later.redeliverCallback,
    (request) => redeliverCallback(request.params.jobId, request.caller.branchId, branchOperation(request))
  )
).pipe(Layer.provide(SlipIntake.layer))
