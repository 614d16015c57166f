import { Schema } from "effect"
import { settingFields } from "../../../../domain/branch-settings.ts"
import { BranchPolicy } from "./admin.ts"
import { CallbackState } from "./job.ts"
import { Reason } from "./slip.ts"
import { Baht, Count, Id, SlipTime, Time } from "../../../../application/views/values.ts"

const code = Schema.String.annotate({ description: "The code of the failure." })
const why = Schema.String.annotate({ description: "For a person." })

const JobAt = Schema.Struct({
  kind: Schema.Literal("job"),
  jobId: Id,
  batchId: Schema.NullOr(Id),
  branchId: Id,
  acceptedAt: Time,
  status: Schema.Literals(["pending", "success", "not_found"]),
  attempts: Count,
  nextAttemptAt: Schema.NullOr(Time),
  endedAt: Schema.NullOr(Time),
  charged: Schema.Boolean.annotate({
    description: "While open: whether it held a quota unit. After its end: whether it was charged."
  }),
  isDuplicate: Schema.NullOr(Schema.Boolean).annotate({ description: "Null unless the job had succeeded." }),
  lastFailure: Schema.NullOr(Schema.Struct({ at: Time, code, why })),
  callback: CallbackState
}).annotate({ identifier: "JobAt" })

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

const VerificationAt = Schema.Struct({
  kind: Schema.Literal("verification"),
  verificationId: Id,
  verdict: Schema.NullOr(
    Schema.Struct({
      verdict: Schema.Literals(["first", "duplicate", "failed"]),
      code: Schema.NullOr(code),
      why: Schema.NullOr(why),
      gateway: Schema.NullOr(gateway),
      gatewayMillis: Schema.NullOr(Count),
      sendingBank: Schema.NullOr(Schema.String),
      amount: Schema.NullOr(Baht),
      transferredAt: Schema.NullOr(SlipTime),
      ...verdictFields
    }).annotate({ identifier: "VerdictAt" })
  ).annotate({ description: "Null while its job was open." }),
  job: Schema.NullOr(JobAt).annotate({ description: "Null for a synchronous verification." })
}).annotate({ identifier: "VerificationAt" })

const SlipAt = Schema.Struct({
  kind: Schema.Literal("slip"),
  services: Schema.Array(
    Schema.Struct({
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
      branchIds: Schema.Array(Id),
      charged: Count.annotate({ description: "Quota units that were charged." }),
      verifications: Schema.Array(
        Schema.Struct({ verificationId: Id, verdict: Schema.Literals(["first", "duplicate"]), ...verdictFields })
      )
    }).annotate({ identifier: "SlipInService" })
  ),
  inVain: Schema.Array(Schema.Struct({ verificationId: Id, branchId: Id, at: Time, code, why })).annotate({
    description: "Verifications that found no slip."
  }),
  jobs: Schema.Array(JobAt),
  truncated: Schema.Boolean.annotate({ description: "Whether a list has more than its first hundred entries." })
}).annotate({ identifier: "SlipAt" })

const BranchAt = Schema.Struct({
  kind: Schema.Literal("branch"),
  branchId: Id,
  serviceId: Id,
  name: Schema.String,
  isMain: Schema.Boolean,
  isActive: Schema.Boolean,
  createdAt: Time,
  ...settingFields,
  quota: Schema.Struct({
    month: Schema.String.annotate({ description: "A month of Bangkok, such as 2026-11." }),
    used: Count,
    max: Schema.NullOr(Count)
  }),
  webhookUrl: Schema.NullOr(Schema.String).annotate({ description: "Without its query." }),
  policy: Schema.optionalKey(BranchPolicy),
  webhookSecretIssuedAt: Schema.NullOr(Time),
  keyIssuedAt: Schema.NullOr(Time)
}).annotate({ identifier: "BranchAt" })

const TrailEvent = Schema.Struct({
  position: Schema.String,
  stream: Schema.String,
  revision: Count,
  type: Schema.String,
  at: Time,
  actor: Schema.Struct({
    kind: Schema.String,
    id: Schema.String,
    operator: Schema.optionalKey(Schema.String),
    key: Schema.optionalKey(Schema.String)
  }),
  requestId: Schema.String.annotate({ description: "The `X-Request-Id` of the request that led to the event." }),
  clientRequestId: Schema.NullOr(Schema.String).annotate({
    description: "The caller's own id; null when it sent none, and for later work of the request."
  }),
  data: Schema.JsonObject
})

/** A page of a trail (docs/spec/http.md, "Trail query"). */
export const Trail = Schema.Struct({
  events: Schema.Array(TrailEvent),
  state: Schema.NullOr(Schema.Union([SlipAt, JobAt, VerificationAt, BranchAt])).annotate({
    description: "What the subject was at that moment; null for a request, and on the pages after the first one."
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there is a next page." }),
  nextCursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Trail" })
