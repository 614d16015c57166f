import { Schema } from "effect"
import { Time } from "../../../../application/views/values.ts"

/** An act of an operator: one event of the log. */
export const AuditAct = Schema.Struct({
  at: Time,
  operator: Schema.String.annotate({
    description: "The name of the operator; the interface in events from before operators had names."
  }),
  surface: Schema.String.annotate({ description: "The interface: `api`, `console` or `cli`." }),
  kind: Schema.String.annotate({ description: "The type of the event." }),
  summary: Schema.String.annotate({ description: "What happened, for people. Personal data stays sealed." }),
  subject: Schema.NullOr(Schema.Struct({ kind: Schema.String, id: Schema.String })).annotate({
    description: "What the act concerns; a slip by its digest. Null for the whole log, or for everything of its kind."
  }),
  requestId: Schema.String.annotate({ description: "The `X-Request-Id` of the request." }),
  position: Schema.String.annotate({ description: "The position of the event in the log." })
}).annotate({ identifier: "AuditAct" })
