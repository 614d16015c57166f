import { Schema } from "effect"
import { DeliveryOutcome } from "../../../../domain/callback.ts"
import { JobStatus } from "../../../../domain/job.ts"
import { CallerError } from "../../../../application/views/failure.ts"
import { CallbackView } from "../../../../application/views/job.ts"
import { VerifiedData } from "../../../../application/views/slip.ts"
import { Count, Id, Time } from "../../../../application/views/values.ts"
import { pageOf } from "../values.ts"

const BatchId = Schema.NullOr(Id).annotate({ description: "Null when the slip was handed over alone." })

export const Accepted = Schema.Struct({
  jobId: Id,
  batchId: Schema.Null,
  status: Schema.Literal("pending")
}).annotate({ identifier: "AcceptedJob" })

export const AcceptedBatch = Schema.Struct({
  batchId: Id,
  jobs: Schema.Array(Schema.Struct({
    index: Count.annotate({ description: "Place of the slip in the request, from 0." }),
    jobId: Id
  }))
}).annotate({ identifier: "AcceptedBatch" })

const named = { jobId: Id, batchId: BatchId }
const succeeded = { status: Schema.Literal("success"), data: VerifiedData }
const failed = { status: Schema.Literal("not_found"), error: CallerError }

const common = {
  ...named,
  createdAt: Time,
  attempts: Count.annotate({ description: "How often the verification was tried." }),
  nextAttemptAt: Schema.NullOr(Time),
  callback: CallbackView
}
const ended = {
  timestamp: Time.annotate({ description: "When the result was there." }),
  expiresAt: Time.annotate({ description: "Seven days after the result; then it is JOB_NOT_FOUND." })
}

/** A job (docs/spec/http.md, "GET job data"). */
export const Job = Schema.Union([
  Schema.Struct({ ...common, status: Schema.Literal("pending"), timestamp: Schema.Null, expiresAt: Schema.Null })
    .annotate({ identifier: "PendingJob" }),
  Schema.Struct({ ...common, ...succeeded, ...ended }).annotate({ identifier: "SuccessfulJob" }),
  Schema.Struct({ ...common, ...failed, ...ended }).annotate({ identifier: "NotFoundJob" })
]).annotate({ identifier: "Job", description: "A slip that was handed over. Once it has ended it never changes." })

/** A batch (docs/spec/http.md, "GET batch data"). */
export const Batch = Schema.Struct({
  batchId: Id,
  size: Count,
  counts: Schema.Struct({ pending: Count, success: Count, not_found: Count }),
  createdAt: Time,
  jobs: Schema.Array(Schema.Struct({ index: Count, jobId: Id, status: JobStatus }))
}).annotate({ identifier: "Batch" })

export const Redelivery = Schema.Struct({ jobId: Id, callback: CallbackView }).annotate({ identifier: "Redelivery" })

/** The body of a callback (docs/spec/http.md, "Callback"). */
export const CallbackBody = Schema.Union([
  Schema.Struct({ ...named, ...succeeded, timestamp: Time }).annotate({ identifier: "SuccessCallback" }),
  Schema.Struct({ ...named, ...failed, timestamp: Time }).annotate({ identifier: "NotFoundCallback" })
]).annotate({ identifier: "WebhookPayload" })

/** The webhook of a branch (docs/spec/http.md, "GET /v2/webhook", "Secret rotation"). */
export const Webhook = Schema.Struct({
  url: Schema.NullOr(Schema.String).annotate({
    description: "Null: jobs without a `callbackUrl` are only there to poll."
  })
}).annotate({ identifier: "Webhook" })

export const RotatedSecret = Schema.Struct({
  secret: Schema.String.annotate({ description: "`whsec_` and base64; shown this once." }),
  effectiveAt: Time,
  previousExpiresAt: Time.annotate({ description: "Until then both secrets sign `webhook-signature`." })
}).annotate({ identifier: "RotatedSecret" })

/** The attempts to deliver a branch's callbacks (docs/spec/http.md, "GET /v2/webhook/deliveries"). */
export const Deliveries = pageOf(
  Schema.Struct({
    jobId: Id,
    attempt: Count.annotate({ description: "Number of the attempt within its job, from 1." }),
    host: Schema.String,
    at: Time,
    status: DeliveryOutcome.annotate({ description: "`sent`: the outcome is not known, or was lost." }),
    httpStatus: Schema.NullOr(Schema.Int),
    reason: Schema.NullOr(Schema.String).annotate({ description: "Why it failed, in words." }),
    tookMillis: Schema.NullOr(Count),
    nextAttemptAt: Schema.NullOr(Time)
  })
).annotate({ identifier: "Deliveries" })
