import { Schema } from "effect"
import { failureCodes } from "../../domain/failed-verification.ts"

const Issue = Schema.Struct({
  path: Schema.String.annotate({ description: "The field, such as `slips.3.matchAmount`; empty for the whole body." }),
  message: Schema.String
}).annotate({ identifier: "Issue", description: "What is wrong with one field." })
export type Issue = typeof Issue.Type

/** What is wrong with fields of a request. */
export const issues = Schema.optionalKey(Schema.Array(Issue))

/** What the code and the message of an error do not say. */
export const detail = Schema.optionalKey(Schema.String).pipe(
  Schema.annotateKey({ description: "What the code and the message do not say, such as the endpoint to use instead." })
)

/** Why there is no slip. */
export const failureFields = { code: Schema.Literals(failureCodes), message: Schema.String, detail, issues }

/** An error as a caller gets it: in an answer, in a polled job, and in a callback. */
export const CallerError = Schema.Struct(failureFields).annotate({
  identifier: "JobFailure",
  description: "Why there is no result, as a verification would have been told."
})
export type CallerError = typeof CallerError.Type
