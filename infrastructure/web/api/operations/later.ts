import { BatchRequest, enqueueBodies } from "../requests/slips.ts"
import { acceptedBatch, batch, ids, notFoundJob, pendingJob, redelivery, requests, successfulJob } from "../examples.ts"
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "../body-limits.ts"
import type { BranchOperation } from "../operation.ts"
import { Accepted, AcceptedBatch, Batch, Job, Redelivery } from "../responses/job.ts"
import { bankCodes, keyedCodes, pictureCodes, scopedCodes, type V2Code } from "../failures.ts"
import { accepted, ok, operationsOf } from "./declare.ts"

const { get, post } = operationsOf("Later")

const jobId = {
  description: "As it was given with the 202. Case does not matter; what is no UUID is nobody's job.",
  example: ids.job
}

export const intakeCodes = [
  ...scopedCodes,
  "VALIDATION_ERROR",
  ...pictureCodes,
  ...bankCodes,
  "INVALID_CALLBACK_URL",
  "QUOTA_EXCEEDED",
  ...keyedCodes
] as const satisfies ReadonlyArray<V2Code>

/** The limit of a batch's body, in bytes (docs/spec/http.md, "Async"). */
const BATCH_BYTES = 64 * 1024 * 1024

/** A slip may have fields that are ignored. Too many slips are within the limit: their error names the field. */
export const BATCH_LIMITS: JsonLimits = { ...DEFAULT_JSON_LIMITS, values: 20_000 }

export const slipAccepted = accepted(Accepted, "Slip accepted", {
  accepted: { summary: "Accepted", value: { jobId: ids.job, batchId: null, status: "pending" } }
})
export const batchAccepted = accepted(AcceptedBatch, "Batch accepted", {
  accepted: { summary: "Accepted", value: acceptedBatch }
})

/** Verifications that run later, and their jobs (docs/spec/http.md, "Async"). */
export const later = {
  verifyBankAsync: post("/v2/verify/bank/async", {
    isKeyed: true,
    scopes: ["verify"],
    summary: "Hand a slip over",
    description: "Takes what `POST /v2/verify/bank` takes, and answers at once. The job ends as `success` or "
      + "`not_found`, which is sent to the `callbackUrl` and can be polled. It holds one unit of the quota, and gives "
      + "it back when it ends as `not_found`. Only validation, authentication, rate and quota refuse at once; all else "
      + "ends in the job.",
    callsBack: true,
    body: {
      ...enqueueBodies,
      isSlip: true,
      examples: { payload: { summary: "With a callback", value: requests.later } }
    },
    success: slipAccepted,
    codes: intakeCodes,
    fault: { path: "", message: "Give exactly one of payload, image, base64, url" }
  }),
  verifyBankBatch: post("/v2/verify/bank/batch", {
    isKeyed: true,
    scopes: ["verify"],
    summary: "Hand up to 100 slips over",
    description: "Each slip becomes a job of its own with a callback of its own. Accepted together or not at all; "
      + "`issues` names each slip that is at fault, such as `slips.3.matchAmount`, whichever the code is.",
    callsBack: true,
    body: {
      json: BatchRequest,
      maxBytes: BATCH_BYTES,
      limits: BATCH_LIMITS,
      isBatch: true,
      isSlip: true,
      examples: { two: { summary: "Two slips, one callback URL", value: requests.batch } }
    },
    success: batchAccepted,
    codes: intakeCodes,
    fault: { path: "slips.3.matchAmount", message: "Expected an amount above 0 with at most two decimals" }
  }),
  getJob: get("/v2/verify/bank/jobs/:jobId", {
    scopes: ["verify", "read"],
    summary: "A job and its result",
    description: "There from the moment of the 202 until seven days after its end. While a job is pending, "
      + "`nextAttemptAt` says when it is tried again.",
    params: { jobId },
    success: ok(Job, "Job", {
      pending: { summary: "Not ended yet", value: pendingJob },
      success: { summary: "Verified", value: successfulJob },
      not_found: { summary: "Could not be verified", value: notFoundJob }
    }),
    codes: [...scopedCodes, "JOB_NOT_FOUND"]
  }),
  getBatch: get("/v2/verify/bank/batches/:batchId", {
    scopes: ["verify", "read"],
    summary: "A batch: counts, and its jobs",
    description: "There until the last of its jobs has expired.",
    params: { batchId: { ...jobId, example: ids.batch } },
    success: ok(Batch, "Batch", { running: { summary: "One of two has ended", value: batch } }),
    codes: [...scopedCodes, "JOB_NOT_FOUND"]
  }),
  redeliverCallback: post("/v2/verify/bank/jobs/:jobId/redeliver", {
    scopes: ["verify"],
    summary: "Send the callback again now",
    description: "Whatever came of it before. VALIDATION_ERROR: the job has not ended, or there is no URL.",
    params: { jobId },
    success: accepted(Redelivery, "The callback is sent again", {
      again: { summary: "On its way", value: redelivery }
    }),
    codes: [...scopedCodes, "VALIDATION_ERROR", "JOB_NOT_FOUND"],
    fault: { path: "jobId", message: "The job has not ended: its callback is sent when it does" }
  })
} as const satisfies Record<string, BranchOperation<V2Code>>
