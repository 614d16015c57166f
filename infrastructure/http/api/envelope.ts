import { Schema } from "effect"
import type { Wire } from "./operation.ts"
import { RawSlip } from "./shapes/slip.ts"
import type { V1Code, V2Code } from "./failures.ts"

/** A success of v2 (docs/spec/http.md, "v2 answers"). */
export const v2Success = <Data extends Wire>(data: Data) =>
  Schema.Struct({
    success: Schema.Literal(true),
    data,
    message: Schema.String.annotate({ description: "For people; programs look at nothing but `data`." })
  })

const Issue = Schema.Struct({
  path: Schema.String.annotate({ description: "The field, such as `slips.3.matchAmount`; empty for the whole body." }),
  message: Schema.String
}).annotate({ identifier: "Issue", description: "What is wrong with one field." })

const issues = Schema.optionalKey(Schema.Array(Issue))

/** A failure of v2 with one of these codes; `issues` where fields can be at fault. */
export const v2Failure = (codes: ReadonlyArray<V2Code>): Wire => {
  const error = {
    code: Schema.Literals(codes),
    message: Schema.String.annotate({ description: "For people. Several messages may share a code." })
  }
  const success = Schema.Literal(false)
  return codes.includes("VALIDATION_ERROR")
    ? Schema.Struct({ success, error: Schema.Struct({ ...error, issues }) })
    : Schema.Struct({ success, error: Schema.Struct(error) })
}

/** A success of v1 (docs/spec/http.md, "v1"). */
export const v1Success = <Data extends Wire>(data: Data) => Schema.Struct({ status: Schema.Literal(200), data })

/** A failure of v1 with this status and one of these codes; a duplicate comes with the slip. */
export const v1Failure = (status: number, codes: ReadonlyArray<V1Code>): Wire => {
  const fields = {
    status: Schema.Literal(status),
    message: Schema.Literals(codes).annotate({ description: "The code." })
  }
  const data = Schema.optionalKey(RawSlip).pipe(Schema.annotateKey({ description: "Only with duplicate_slip." }))
  return codes.includes("duplicate_slip") ? Schema.Struct({ ...fields, data }) : Schema.Struct(fields)
}
