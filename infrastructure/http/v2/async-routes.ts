import { Effect, Layer } from "effect"
import { SlipIntake } from "../../../application/jobs/enqueue-slips.ts"
import { redeliverCallback } from "../../../application/callbacks/redeliver-callbacks.ts"
import { acceptedJobs, batch } from "../../../application/jobs/job-view.ts"
import { job } from "../../../application/jobs/job-view.ts"
import { anyJob } from "../../../application/jobs/load-job.ts"
import { authenticate } from "../authenticate.ts"
import { readBody } from "../body.ts"
import { idempotently } from "../idempotency.ts"
import type { Reply } from "../reply.ts"
import { parseBatch } from "./batch-request.ts"
import { endpoint, operationOf } from "./branch-operation.ts"
import { checkCallbackUrl } from "./callback-url.ts"
import { parseEnqueueRequest, typed } from "./verify-request.ts"
import { toApiError } from "../application-failures.ts"

/** Most bytes of the body of a batch (docs/spec/http.md, "Async"). */
export const BATCH_BYTES = 64 * 1024 * 1024

const accepted = (jobId: string): Reply => ({
  status: 202,
  message: "Slip accepted",
  data: { jobId, batchId: null, status: "pending" }
})

const enqueue = endpoint(
  "POST",
  "/v2/verify/bank/async",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    const body = yield* readBody(exchange)
    const slip = yield* parseEnqueueRequest(body)
    yield* checkCallbackUrl(slip.callbackUrl)
    const { enqueue } = yield* SlipIntake
    return yield* idempotently(exchange, caller, typed(body), {
      run: (jobId) => Effect.as(enqueue({ jobId, caller, slip, correlationId: exchange.requestId }), accepted(jobId)),
      recall: (jobId) => Effect.map(anyJob(jobId), (job) => job === undefined ? undefined : accepted(jobId))
    })
  })
)

const acceptedBatch = (batchId: string, jobIds: ReadonlyArray<string>): Reply => ({
  status: 202,
  message: "Batch accepted",
  data: { batchId, jobs: jobIds.map((jobId, index) => ({ index, jobId })) }
})

const enqueueBatch = endpoint(
  "POST",
  "/v2/verify/bank/batch",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    const body = yield* readBody(exchange)
    const { slips, unusable } = yield* parseBatch(body)
    const intake = yield* SlipIntake
    return yield* idempotently(exchange, caller, typed(body), {
      run: (batchId) =>
        intake.enqueueBatch({ batchId, caller, slips, correlationId: exchange.requestId }).pipe(
          Effect.map((jobIds) => acceptedBatch(batchId, jobIds)),
          Effect.catchTag("PicturesUnusable", (error) => Effect.fail(unusable(error)))
        ),
      recall: (batchId) =>
        Effect.map(
          acceptedJobs(batchId, slips.length),
          (jobIds) => jobIds === undefined ? undefined : acceptedBatch(batchId, jobIds)
        )
    })
  }),
  { bodyBytes: BATCH_BYTES }
)

const jobEndpoint = endpoint(
  "GET",
  "/v2/verify/bank/jobs/:jobId",
  Effect.fnUntraced(function* (exchange) {
    const { branchId } = yield* authenticate(exchange)
    const data = yield* Effect.mapError(job(exchange.params["jobId"] ?? "", branchId), toApiError)
    return { data, message: "Job" }
  })
)

const batchEndpoint = endpoint(
  "GET",
  "/v2/verify/bank/batches/:batchId",
  Effect.fnUntraced(function* (exchange) {
    const { branchId } = yield* authenticate(exchange)
    const data = yield* Effect.mapError(batch(exchange.params["batchId"] ?? "", branchId), toApiError)
    return { data, message: "Batch" }
  })
)

const redeliver = endpoint(
  "POST",
  "/v2/verify/bank/jobs/:jobId/redeliver",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    const jobId = exchange.params["jobId"] ?? ""
    const data = yield* redeliverCallback(jobId, caller.branchId, operationOf(caller, exchange)).pipe(
      Effect.mapError(toApiError)
    )
    return { status: 202, message: "The callback is sent again", data }
  })
)

/** Slips that are verified later, and what came of them (docs/spec/http.md, "Async"). */
export const layerAsync = Layer.mergeAll(enqueue, enqueueBatch, jobEndpoint, batchEndpoint, redeliver).pipe(
  Layer.provide(SlipIntake.layer)
)
