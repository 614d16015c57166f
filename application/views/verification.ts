import { Schema } from "effect"
import { failureCodes } from "../../domain/failed-verification.ts"
import { failureFields } from "./failure.ts"
import { VerifiedData } from "./slip.ts"
import { Baht, Count, Id, Time } from "./values.ts"

const Kind = Schema.Literals(["bank", "truemoney"])
const charged = Schema.Boolean.annotate({ description: "Whether it cost a unit of the quota." })

/** What every list says of a verification, without personal data. */
export const VerificationSummary = Schema.Struct({
  verificationId: Id.annotate({ description: "`GET /v2/verifications/:verificationId` has the whole answer." }),
  at: Time,
  outcome: Schema.Literals(["verified", "duplicate", ...failureCodes]).annotate({
    description: "`verified`: for the first time in the service. Otherwise `duplicate`, or the code of the failure."
  }),
  isDuplicate: Schema.NullOr(Schema.Boolean).annotate({ description: "Null without a slip." }),
  accepted: Schema.NullOr(Schema.Boolean).annotate({ description: "Null without conditions, or without a slip." }),
  amount: Schema.NullOr(Baht).annotate({ description: "Baht; null without a slip." }),
  charged,
  kind: Schema.NullOr(Kind).annotate({ description: "Which kind of slip it was; null without a slip." })
})
export type VerificationSummary = typeof VerificationSummary.Type

/** A verification in the list of its branch. */
export const VerificationItem = Schema.Struct({
  ...VerificationSummary.fields,
  remark: Schema.NullOr(Schema.String).annotate({ description: "As it was sent along with a slip that was verified." })
}).annotate({ identifier: "VerificationItem" })
export type VerificationItem = typeof VerificationItem.Type

/** A verification for operators. It has no personal data. */
export const OperatorVerification = Schema.Struct({
  ...VerificationSummary.fields,
  verificationId: Id,
  outcome: Schema.String.annotate({ description: "`verified`, `duplicate`, or the code of the failure." }),
  branchId: Id,
  // Null only while the read model `branches` does not have the branch yet.
  serviceId: Schema.NullOr(Id)
}).annotate({ identifier: "VerificationSummary" })
export type OperatorVerification = typeof OperatorVerification.Type

/** A note about a verification (docs/spec/http.md, "POST /v2/verifications/:verificationId/notes"). */
export const NoteView = Schema.Struct({
  noteId: Id,
  at: Time,
  text: Schema.NullOr(Schema.String).annotate({ description: "Null after the slip or the job was erased." }),
  keyId: Schema.NullOr(Schema.String).annotate({
    description: "The id of the API key that wrote it; null for the default key."
  })
}).annotate({ identifier: "Note" })
export type NoteView = typeof NoteView.Type

const common = {
  verificationId: Id,
  at: Time,
  charged,
  jobId: Schema.NullOr(Id).annotate({ description: "The job that led to it; null when it was answered at once." }),
  requestId: Schema.String.annotate({ description: "`X-Request-Id` of the answer to the request that led to it." }),
  clientRequestId: Schema.NullOr(Schema.String).annotate({ description: "The `X-Request-Id` that the request sent." }),
  notes: Schema.Array(NoteView).annotate({ description: "What the branch wrote about it, the oldest first." })
}

/** A verification with what was answered (docs/spec/http.md, "GET /v2/verifications/:verificationId"). */
export const VerificationDetail = Schema.Union([
  Schema.Struct({ ...common, outcome: Schema.Literals(["verified", "duplicate"]), kind: Kind, data: VerifiedData })
    .annotate({ identifier: "VerifiedSlip" }),
  Schema.Struct({
    ...common,
    outcome: Schema.Literals(failureCodes),
    kind: Schema.Null,
    error: Schema.Struct(failureFields)
  }).annotate({ identifier: "UnverifiedSlip" })
]).annotate({ identifier: "VerificationDetail", description: "What was answered, as it was answered." })
export type VerificationDetail = typeof VerificationDetail.Type

/** What a branch did on one day. */
export const UsageOfDay = Schema.Struct({
  day: Schema.String.annotate({ description: "`yyyy-MM-dd` in Bangkok.", format: "date" }),
  verified: Count.annotate({ description: "Slips that were verified for the first time in the service." }),
  duplicates: Count,
  failures: Schema.Record(Schema.String, Count).annotate({
    description: "Verifications without a slip, by code; only the codes that occurred."
  }),
  charged: Count.annotate({ description: "Units of the quota that were charged, or that jobs hold." })
}).annotate({ identifier: "UsageDay" })
export type UsageOfDay = typeof UsageOfDay.Type
