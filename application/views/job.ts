import { Schema } from "effect"
import { Count, Id, Time } from "./values.ts"

const callbackFields = {
  state: Schema.Literals(["none", "pending", "delivered", "rejected", "abandoned"]),
  attempts: Count,
  lastStatus: Schema.NullOr(Schema.Int),
  // Null until the job has ended, while an attempt is in flight, and at the end.
  nextAttemptAt: Schema.NullOr(Time),
  deliveredAt: Schema.NullOr(Time)
}

/** The callback of a job (docs/spec/http.md, "GET job data"). */
export const CallbackView = Schema.Struct({
  url: Schema.NullOr(Schema.String),
  ...callbackFields,
  state: callbackFields.state.annotate({
    description: "`none`: nobody is called back. `rejected`: the receiver answered 4xx. `abandoned`: every attempt "
      + "failed."
  }),
  lastStatus: callbackFields.lastStatus.annotate({ description: "HTTP status of the last answer." })
}).annotate({ identifier: "CallbackState", description: "What was done to tell the result." })
export type CallbackView = typeof CallbackView.Type

/** A callback for operators. The URL has no query, because that may hold a secret. */
export const CallbackItem = Schema.Struct({
  jobId: Id,
  branchId: Id,
  host: Schema.String,
  url: Schema.String.annotate({ description: "Without its query." }),
  ...callbackFields,
  // When the last attempt was sent, and why it failed.
  lastAttemptAt: Schema.NullOr(Time),
  lastReason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "CallbackSummary" })
export type CallbackItem = typeof CallbackItem.Type
