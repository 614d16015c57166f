import { Schema } from "effect"
import { UsageOfDay, VerificationItem } from "../../../../application/views/verification.ts"
import { Count, Id, Time } from "../../../../application/views/values.ts"
import { pageOf } from "../values.ts"
import { JobStatus } from "../../../../domain/job.ts"

/** A page of verifications (docs/spec/http.md, "GET /v2/verifications"). */
export const Verifications = pageOf(VerificationItem).annotate({ identifier: "Verifications" })

/** What a branch did each day (docs/spec/http.md, "GET /v2/usage"). */
export const Usage = Schema.Struct({
  items: Schema.Array(UsageOfDay),
  nextCursor: Schema.Null.annotate({ description: "A request has all its days." })
}).annotate({ identifier: "Usage" })

const JobItem = Schema.Struct({
  jobId: Id,
  status: JobStatus,
  createdAt: Time,
  attempts: Count.annotate({ description: "How often the verification was tried." }),
  nextAttemptAt: Schema.NullOr(Time)
}).annotate({ identifier: "JobItem" })

/** A page of jobs (docs/spec/http.md, "GET /v2/jobs"). */
export const Jobs = pageOf(JobItem).annotate({ identifier: "Jobs" })
