import { Effect, Layer } from "effect"
import { SlipIntake } from "../../../application/commands/enqueue-slips.ts"
import { redeliverCallback } from "../../../application/commands/redeliver-callback.ts"
import { Identifiers } from "../../../application/ports/identifiers.ts"
import { batch } from "../../../application/queries/batch.ts"
import { job } from "../../../application/queries/job.ts"
import { authenticate } from "../authenticate.ts"
import { readBody } from "../body.ts"
import { endpoint } from "../endpoint.ts"
import { parseBatch } from "./batch-request.ts"
import { operationOf } from "./branch-operation.ts"
import { checkCallbackUrl } from "./callback-url.ts"
import { toApiError } from "./errors.ts"
import { parseEnqueueRequest } from "./verify-request.ts"

/** Most bytes of the body of a batch (contract, "Async"). */
export const BATCH_BYTES = 64 * 1024 * 1024

const enqueue = endpoint("POST", "/v2/verify/bank/async", Effect.fnUntraced(function*(exchange) {
  const caller = yield* authenticate(exchange)
  const slip = yield* parseEnqueueRequest(yield* readBody(exchange))
  yield* checkCallbackUrl(slip.callbackUrl)
  const jobId = (yield* Identifiers).random()
  const { enqueue } = yield* SlipIntake
  yield* Effect.mapError(enqueue({ jobId, caller, slip, correlationId: exchange.requestId }), toApiError)
  return { status: 202, message: "Slip accepted", data: { jobId, batchId: null, status: "pending" } }
}))

const enqueueBatch = endpoint(
  "POST",
  "/v2/verify/bank/batch",
  Effect.fnUntraced(function*(exchange) {
    const caller = yield* authenticate(exchange)
    const { slips, unusable } = yield* parseBatch(yield* readBody(exchange))
    const batchId = (yield* Identifiers).random()
    const intake = yield* SlipIntake
    const jobIds = yield* intake.enqueueBatch({ batchId, caller, slips, correlationId: exchange.requestId }).pipe(
      Effect.mapError((error) => error._tag === "PicturesUnusable" ? unusable(error) : toApiError(error))
    )
    const jobs = jobIds.map((jobId, index) => ({ index, jobId }))
    return { status: 202, message: "Batch accepted", data: { batchId, jobs } }
  }),
  { bodyBytes: BATCH_BYTES }
)

const jobEndpoint = endpoint("GET", "/v2/verify/bank/jobs/:jobId", Effect.fnUntraced(function*(exchange) {
  const { branchId } = yield* authenticate(exchange)
  const data = yield* Effect.mapError(job(exchange.params["jobId"] ?? "", branchId), toApiError)
  return { data, message: "Job" }
}))

const batchEndpoint = endpoint("GET", "/v2/verify/bank/batches/:batchId", Effect.fnUntraced(function*(exchange) {
  const { branchId } = yield* authenticate(exchange)
  const data = yield* Effect.mapError(batch(exchange.params["batchId"] ?? "", branchId), toApiError)
  return { data, message: "Batch" }
}))

const redeliver = endpoint("POST", "/v2/verify/bank/jobs/:jobId/redeliver", Effect.fnUntraced(function*(exchange) {
  const caller = yield* authenticate(exchange)
  const jobId = exchange.params["jobId"] ?? ""
  const data = yield* redeliverCallback(jobId, caller.branchId, operationOf(caller, exchange)).pipe(
    Effect.mapError(toApiError)
  )
  return { status: 202, message: "The callback is sent again", data }
}))

/** Slips that are verified later, and what came of them (contract, "Async"). */
export const layerAsync = Layer.mergeAll(enqueue, enqueueBatch, jobEndpoint, batchEndpoint, redeliver).pipe(
  Layer.provide(SlipIntake.layer)
)
