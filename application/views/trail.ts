import { Schema } from "effect"
import { JobStatus } from "../../domain/job.ts"
import { CallbackView } from "./job.ts"
import { Reason } from "./slip.ts"
import { Baht, Count, Id, SlipTime, Time } from "./values.ts"

const code = Schema.String.annotate({ description: "The code of the failure." })
const why = Schema.String.annotate({ description: "For a person." })

/** A job and its callback at a time. The URL of the callback has no query, which may be a secret. */
export const JobAt = Schema.Struct({
  kind: Schema.Literal("job"),
  jobId: Id,
  batchId: Schema.NullOr(Id),
  branchId: Id,
  acceptedAt: Time,
  status: JobStatus,
  attempts: Count,
  nextAttemptAt: Schema.NullOr(Time),
  endedAt: Schema.NullOr(Time),
  charged: Schema.Boolean.annotate({
    description: "While open: whether it held a quota unit. After its end: whether it was charged."
  }),
  isDuplicate: Schema.NullOr(Schema.Boolean).annotate({ description: "Null unless the job had succeeded." }),
  lastFailure: Schema.NullOr(Schema.Struct({ at: Time, code, why })),
  callback: CallbackView
}).annotate({ identifier: "JobAt" })
export type JobAt = typeof JobAt.Type

const Acceptance = Schema.Struct({
  accepted: Schema.Boolean,
  reasons: Schema.Array(Reason),
  policyVersion: Schema.optionalKey(Count)
}).annotate({ identifier: "Acceptance", description: "The verdict on the conditions." })

const verdictFields = {
  at: Time,
  branchId: Id,
  expectedAmount: Schema.NullOr(Baht),
  isAmountMatched: Schema.NullOr(Schema.Boolean),
  charged: Schema.Boolean,
  acceptance: Schema.optionalKey(Acceptance)
}

const gateway = Schema.String.annotate({ description: "The gateway that answered." })

/** The outcome of a verification. */
export const Verdict = Schema.Struct({
  verdict: Schema.Literals(["first", "duplicate", "failed"]),
  // Null unless it failed.
  code: Schema.NullOr(code),
  why: Schema.NullOr(why),
  // Null when no gateway was called, as for a duplicate.
  gateway: Schema.NullOr(gateway),
  gatewayMillis: Schema.NullOr(Count),
  // As the bank stated them; null when the verification failed.
  sendingBank: Schema.NullOr(Schema.String),
  amount: Schema.NullOr(Baht),
  transferredAt: Schema.NullOr(SlipTime),
  ...verdictFields
}).annotate({ identifier: "VerdictAt" })
export type Verdict = typeof Verdict.Type

/** A verification at a time. */
export const VerificationAt = Schema.Struct({
  kind: Schema.Literal("verification"),
  verificationId: Id,
  verdict: Schema.NullOr(Verdict).annotate({ description: "Null while its job was open." }),
  job: Schema.NullOr(JobAt).annotate({ description: "Null for a synchronous verification." })
}).annotate({ identifier: "VerificationAt" })
export type VerificationAt = typeof VerificationAt.Type

/** The outcome of a successful verification of a slip. */
const SlipVerdict = Schema.Struct({
  verificationId: Id,
  verdict: Schema.Literals(["first", "duplicate"]),
  ...verdictFields
})
export type SlipVerdict = typeof SlipVerdict.Type

/** The verifications of a slip in one service. The gateway answered the first one. */
const SlipInService = Schema.Struct({
  serviceId: Id,
  firstVerifiedAt: Time,
  firstVerificationId: Id,
  firstBranchId: Id,
  gateway,
  gatewayMillis: Count,
  sendingBank: Schema.String,
  amount: Baht,
  transferredAt: SlipTime,
  times: Count.annotate({ description: "The number of verifications, including the first one." }),
  // In the order of their first verification.
  branchIds: Schema.Array(Id),
  charged: Count.annotate({ description: "Quota units that were charged." }),
  // In the order of the log.
  verifications: Schema.Array(SlipVerdict)
}).annotate({ identifier: "SlipInService" })
export type SlipInService = typeof SlipInService.Type

/** A slip at a time, in all services. */
export const SlipAt = Schema.Struct({
  kind: Schema.Literal("slip"),
  services: Schema.Array(SlipInService),
  inVain: Schema.Array(Schema.Struct({ verificationId: Id, branchId: Id, at: Time, code, why })).annotate({
    description: "Verifications that found no slip."
  }),
  // With this slip, each with its callback.
  jobs: Schema.Array(JobAt),
  truncated: Schema.Boolean.annotate({ description: "Whether a list has more than its first hundred entries." })
}).annotate({ identifier: "SlipAt" })
export type SlipAt = typeof SlipAt.Type
