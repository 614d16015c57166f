import { Schema } from "effect"
import { failureCodes } from "../../../../domain/failed-verification.ts"
import { failureFields, JobStatus } from "./job.ts"
import { VerifyBankData, VerifyWalletData } from "./slip.ts"
import { Baht, Count, Id, NextCursor, Time } from "../../../../application/views/values.ts"

const Kind = Schema.NullOr(Schema.Literals(["bank", "truemoney"])).annotate({
  description: "Which kind of slip it was; null without a slip."
})
const charged = Schema.Boolean.annotate({ description: "Whether it cost a unit of the quota." })

/** What every list says of a verification. */
export const verificationFields = {
  verificationId: Id.annotate({ description: "`GET /v2/verifications/:verificationId` has the whole answer." }),
  at: Time,
  outcome: Schema.Literals(["verified", "duplicate", ...failureCodes]).annotate({
    description: "`verified`: for the first time in the service. Otherwise `duplicate`, or the code of the failure."
  }),
  isDuplicate: Schema.NullOr(Schema.Boolean).annotate({ description: "Null without a slip." }),
  accepted: Schema.NullOr(Schema.Boolean).annotate({ description: "Null without conditions, or without a slip." }),
  amount: Schema.NullOr(Baht).annotate({ description: "Baht; null without a slip." }),
  charged,
  kind: Kind
}

const VerificationItem = Schema.Struct({
  ...verificationFields,
  remark: Schema.NullOr(Schema.String).annotate({ description: "As it was sent along with a slip that was verified." })
}).annotate({ identifier: "VerificationItem" })

/** A page of verifications (docs/spec/http.md, "GET /v2/verifications"). */
export const Verifications = Schema.Struct({ items: Schema.Array(VerificationItem), nextCursor: NextCursor }).annotate({
  identifier: "Verifications"
})

/** A note about a verification (docs/spec/http.md, "POST /v2/verifications/:verificationId/notes"). */
export const Note = Schema.Struct({
  noteId: Id,
  at: Time,
  text: Schema.NullOr(Schema.String).annotate({ description: "Null after the slip or the job was erased." }),
  keyId: Schema.NullOr(Schema.String).annotate({
    description: "The id of the API key that wrote it; null for the default key."
  })
}).annotate({ identifier: "Note" })

const common = {
  verificationId: Id,
  at: Time,
  charged,
  jobId: Schema.NullOr(Id).annotate({ description: "The job that led to it; null when it was answered at once." }),
  requestId: Schema.String.annotate({ description: "`X-Request-Id` of the answer to the request that led to it." }),
  clientRequestId: Schema.NullOr(Schema.String).annotate({ description: "The `X-Request-Id` that the request sent." }),
  notes: Schema.Array(Note).annotate({ description: "What the branch wrote about it, the oldest first." })
}

/** A verification with what was answered (docs/spec/http.md, "GET /v2/verifications/:verificationId"). */
export const VerificationDetail = Schema.Union([
  Schema.Struct({
    ...common,
    outcome: Schema.Literals(["verified", "duplicate"]),
    kind: Schema.Literals(["bank", "truemoney"]),
    data: Schema.Union([VerifyBankData, VerifyWalletData])
  }).annotate({ identifier: "VerifiedSlip" }),
  Schema.Struct({
    ...common,
    outcome: Schema.Literals(failureCodes),
    kind: Schema.Null,
    error: Schema.Struct(failureFields)
  }).annotate({ identifier: "UnverifiedSlip" })
]).annotate({ identifier: "VerificationDetail", description: "What was answered, as it was answered." })

const UsageItem = Schema.Struct({
  day: Schema.String.annotate({ description: "`yyyy-MM-dd` in Bangkok.", format: "date" }),
  verified: Count.annotate({ description: "Slips that were verified for the first time in the service." }),
  duplicates: Count,
  failures: Schema.Record(Schema.String, Count).annotate({
    description: "Verifications without a slip, by code; only the codes that occurred."
  }),
  charged: Count.annotate({ description: "Units of the quota that were charged, or that jobs hold." })
}).annotate({ identifier: "UsageDay" })

/** What a branch did each day (docs/spec/http.md, "GET /v2/usage"). */
export const Usage = Schema.Struct({
  items: Schema.Array(UsageItem),
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
export const Jobs = Schema.Struct({ items: Schema.Array(JobItem), nextCursor: NextCursor }).annotate({
  identifier: "Jobs"
})
