import { Schema } from "effect"
import { settingFields } from "../../../../domain/branch-settings.ts"
import { BranchPolicy } from "./admin.ts"
import { JobAt, SlipAt, VerificationAt } from "../../../../application/views/trail.ts"
import { Count, Id, Time } from "../../../../application/views/values.ts"

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
