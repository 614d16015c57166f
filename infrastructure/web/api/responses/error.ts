import { Schema } from "effect"

const Issue = Schema.Struct({
  path: Schema.String.annotate({ description: "The field, such as `slips.3.matchAmount`; empty for the whole body." }),
  message: Schema.String
}).annotate({ identifier: "Issue", description: "What is wrong with one field." })

/** What is wrong with fields of a request. */
export const issues = Schema.optionalKey(Schema.Array(Issue))

/** What the code and the message of an error do not say. */
export const detail = Schema.optionalKey(Schema.String).pipe(
  Schema.annotateKey({ description: "What the code and the message do not say, such as the endpoint to use instead." })
)
