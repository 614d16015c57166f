import { Schema } from "effect"
import { adminCodes } from "./operations/admin-operation.ts"
import type { Operation, Success, Wire } from "./operation.ts"
import { detail, issues } from "../../../application/views/failure.ts"
import {
  isRemembered,
  scopedCodes,
  v1CallerCodes,
  type V1Code,
  v1Failures,
  v1Statuses,
  type V2Code,
  v2Failures,
  v2Statuses
} from "./failures.ts"

/** A success of v2 (docs/spec/http.md, "v2 answers"). */
const v2Success = <Data extends Wire>(data: Data) =>
  Schema.Struct({
    success: Schema.Literal(true),
    data,
    message: Schema.String.annotate({ description: "For people; programs look at nothing but `data`." })
  })

/** A failure of v2 with one of these codes; `issues` when fields can be invalid. */
const v2Failure = (codes: ReadonlyArray<V2Code>): Wire => {
  const error = {
    code: Schema.Literals(codes),
    message: Schema.String.annotate({ description: "For people. Several messages may share a code." }),
    detail
  }
  const success = Schema.Literal(false)
  return codes.includes("VALIDATION_ERROR")
    ? Schema.Struct({ success, error: Schema.Struct({ ...error, issues }) })
    : Schema.Struct({ success, error: Schema.Struct(error) })
}

/** A success of v1 (docs/spec/http.md, "v1"). */
const v1Success = <Data extends Wire>(data: Data) => Schema.Struct({ status: Schema.Literal(200), data })

const pictureIssues = issues.pipe(Schema.annotateKey({ description: "Only with invalid_image: why." }))

/**
 * A failure of v1 with this status and one of these codes. A duplicate includes the slip, as a success does, and a picture
 * that is not valid says why.
 */
const v1Failure = (status: number, codes: ReadonlyArray<V1Code>, success: Success | undefined): Wire => {
  const fields = {
    status: Schema.Literal(status),
    message: Schema.Literals(codes).annotate({ description: "The code." })
  }
  if (success === undefined || !codes.includes("duplicate_slip")) return Schema.Struct(fields)
  const data = Schema.optionalKey(success.data).pipe(Schema.annotateKey({ description: "Only with duplicate_slip." }))
  return codes.includes("invalid_image")
    ? Schema.Struct({ ...fields, data, issues: pictureIssues })
    : Schema.Struct({ ...fields, data })
}

/** The parts of an operation that its failures show; empty for a failure that operations share. */
export type FailingOperation = Partial<Pick<Operation, "fault" | "success">>

/** The answers of one version of the API. */
export interface Version<Code extends string> {
  /** The codes that most operations share, because they need a key with a scope. */
  readonly callerCodes: ReadonlyArray<Code>
  /** The codes of every operation with a body, besides its own. */
  readonly bodyCodes: ReadonlyArray<Code>
  /** The prefix of the version's shared responses in the document. */
  readonly prefix: "" | "V1"
  /** The statuses of a code: usually, and while the service is overloaded. */
  readonly statusesOf: (code: Code) => readonly [number, number]
  /** What a code means, in a few words. */
  readonly meaningOf: (code: Code) => string
  /** Whether the next request with the same `Idempotency-Key` gets the failure again. */
  readonly isRemembered: (code: Code) => boolean
  readonly isRetryable: (code: Code) => boolean
  /** Whether answers have the headers of the rate limit. */
  readonly hasRateLimit: boolean
  readonly success: (data: Wire) => Wire
  /** `success` is undefined for a failure that operations share. */
  readonly failure: (status: number, codes: ReadonlyArray<Code>, success: Success | undefined) => Wire
  /** An example of a success with this data. */
  readonly successExample: (success: Success, data: unknown) => unknown
  /** An example of a failure with this code and status. */
  readonly failureExample: (code: Code, status: number, operation: FailingOperation) => unknown
}

export const v2Version: Version<V2Code> = {
  callerCodes: scopedCodes,
  bodyCodes: ["UNSUPPORTED_CONTENT_ENCODING"],
  prefix: "",
  statusesOf: v2Statuses,
  meaningOf: (code) => v2Failures[code].message,
  isRemembered,
  hasRateLimit: true,
  isRetryable: (code) => "isRetryable" in v2Failures[code],
  success: v2Success,
  failure: (_, codes) => v2Failure(codes),
  successExample: ({ message }, data) => ({ success: true, data, message }),
  failureExample: (code, _, { fault }) => ({
    success: false,
    error: {
      code,
      message: v2Failures[code].message,
      ...(code === "VALIDATION_ERROR" && fault !== undefined ? { issues: [fault] } : {})
    }
  })
}

/** A success of the admin API: as in v2, and whether a change has taken effect. */
const adminSuccess = <Data extends Wire>(data: Data) =>
  Schema.Struct({
    ...v2Success(data).fields,
    isVisible: Schema.optionalKey(Schema.Literal(false)).pipe(
      Schema.annotateKey({ description: "Only while a stored change has not taken effect." })
    )
  })

/** The admin API answers as v2. A token takes the place of keys. Only wrong tokens are limited. */
export const adminVersion: Version<V2Code> = {
  ...v2Version,
  callerCodes: adminCodes,
  hasRateLimit: false,
  success: adminSuccess
}

export const v1Version: Version<V1Code> = {
  callerCodes: v1CallerCodes,
  bodyCodes: ["unsupported_content_encoding"],
  prefix: "V1",
  statusesOf: v1Statuses,
  meaningOf: (code) => v1Failures[code].meaning,
  isRemembered: () => false,
  hasRateLimit: true,
  isRetryable: (code) => "isRetryable" in v1Failures[code],
  success: v1Success,
  failure: v1Failure,
  successExample: (_, data) => ({ status: 200, data }),
  failureExample: (code, status, { success }) => ({
    status,
    message: code,
    ...(code === "duplicate_slip" ? { data: Object.values(success?.examples ?? {})[0]?.value } : {})
  })
}

/** The codes of all failures of an operation. */
export const codesOf = <Code extends string>(
  { body, codes }: Pick<Operation<Code>, "body" | "codes">,
  { bodyCodes }: Version<Code>
): ReadonlyArray<Code> => body === undefined ? codes : [...codes, ...bodyCodes]

/** Groups codes by their status, in the given order. */
export const byStatus = <Code extends string>(
  codes: ReadonlyArray<Code>,
  { statusesOf }: Version<Code>
): ReadonlyMap<number, ReadonlyArray<Code>> => {
  const groups = new Map<number, Array<Code>>()
  for (const code of codes) {
    for (const status of new Set(statusesOf(code))) groups.set(status, [...groups.get(status) ?? [], code])
  }
  return groups
}
