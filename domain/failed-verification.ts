import { Schema } from "effect"
import { type Complete, eventsOf, onlyOnce } from "./decider.ts"
import { replyFields } from "./slip/gateway-reply.ts"

/**
 * A verification that ended without a verified slip. Successes are in the slip's stream. This one, `verification-{id}`,
 * records the others: no slip in the source, a slip that no bank knows (yet), a bank that was unavailable. A new code
 * must follow docs/spec/events.md, "Changing an event".
 */

/** How a verification can end without a slip. */
export const FailureCode = Schema.Literals(["SLIP_NOT_FOUND", "SLIP_PENDING", "API_SERVER_ERROR"])
export type FailureCode = typeof FailureCode.Type

/** How a verification or a job can end without a slip, with the codes that are not stored in `VerificationFailed`. */
export const endCodes = [
  "SLIP_NOT_FOUND",
  "SLIP_PENDING",
  "WRONG_SLIP_KIND",
  "SEVERAL_SLIPS",
  "API_SERVER_ERROR",
  "URL_PROTOCOL_NOT_ALLOWED",
  "URL_INVALID_IP_RANGE",
  "IMAGE_URL_UNREACHABLE",
  "IMAGE_SIZE_TOO_LARGE",
  "INVALID_IMAGE_TYPE",
  "INVALID_IMAGE_FORMAT"
] as const
export type EndCode = (typeof endCodes)[number]

export const isEndCode = (code: string): code is EndCode => endCodes.some((known) => known === code)

/** The code of a job that ended. One of a later version becomes `API_SERVER_ERROR`, which is no verdict on the slip. */
export const parseEndCode = (code: string): EndCode => isEndCode(code) ? code : "API_SERVER_ERROR"

/** The code that the caller received, from the fields of an event: typed ones, or JSON as the log holds it. */
export const endCodeOf = <Code>(
  { code, severalSlips, wrongKind }: {
    readonly code: Code
    readonly severalSlips?: unknown
    readonly wrongKind?: unknown
  }
): Code | "WRONG_SLIP_KIND" | "SEVERAL_SLIPS" =>
  severalSlips !== undefined ? "SEVERAL_SLIPS" : wrongKind !== undefined ? "WRONG_SLIP_KIND" : code

const failure = {
  verificationId: Schema.String,
  serviceId: Schema.String,
  branchId: Schema.String,
  /** ISO 8601, UTC. */
  at: Schema.String,
  code: FailureCode,
  /** For a person: the step at which it ended, and the reason. */
  why: Schema.String,
  /** Null when no slip was read, so no bank was asked. */
  slipDigest: Schema.NullOr(Schema.String),
  gateway: Schema.NullOr(Schema.String),
  gatewayMillis: Schema.NullOr(Schema.Int),
  ...replyFields,
  /** The kind of the slip, when the answer was `WRONG_SLIP_KIND`: the code is then `SLIP_NOT_FOUND`. */
  wrongKind: Schema.optional(Schema.Literals(["bank", "truemoney"])),
  /** True when the answer was `SEVERAL_SLIPS`: the code is then `SLIP_NOT_FOUND`. */
  severalSlips: Schema.optional(Schema.Literal(true)),
  /** Keyed digest of the normalized remark within the branch, for filters. Absent without a remark. */
  remarkDigest: Schema.optional(Schema.String),
  /** Milliseconds from `at` until the failure was appended. Old events lack it. */
  tookMillis: Schema.optional(Schema.Int),
  /** Keyed digest of the end of the slip's reference, for the search of operators. Absent when no slip was read, and in old events. */
  tailDigest: Schema.optional(Schema.String)
}

// These names are the storage format: add, never edit.
export const VerificationEvent = Schema.TaggedUnion({ VerificationFailed: failure })
export type VerificationEvent = typeof VerificationEvent.Type

type OptionalFields = "wrongKind" | "severalSlips" | "remarkDigest" | "tailDigest" | "tookMillis"

export type RecordFailure =
  & { readonly _tag: "RecordFailure" }
  & Omit<Complete<VerificationEvent>, "_tag" | OptionalFields>
  & Pick<VerificationEvent, OptionalFields>

const make = eventsOf(VerificationEvent)

export const verification = onlyOnce<RecordFailure, VerificationEvent>((
  { _tag, remarkDigest, severalSlips, tailDigest, tookMillis, wrongKind, ...fields }
) => make.VerificationFailed({ ...fields, wrongKind, severalSlips, remarkDigest, tailDigest, tookMillis }))

/**
 * The codes that a verification or a job can end with, and their messages (docs/spec/http.md, "v2 codes"). HTTP answers
 * and callbacks take the message from here.
 */
export const failureMessages = {
  URL_PROTOCOL_NOT_ALLOWED: "Only HTTP/HTTPS allowed",
  URL_INVALID_IP_RANGE: "URL points to restricted IP",
  IMAGE_URL_UNREACHABLE: "Unable to access URL",
  IMAGE_SIZE_TOO_LARGE: "Image exceeds 4MB limit",
  INVALID_IMAGE_TYPE: "URL is not a valid image",
  INVALID_IMAGE_FORMAT: "File is not a valid image",
  SLIP_NOT_FOUND: "Slip not found or invalid",
  SLIP_PENDING: "A slip of a specific bank is pending",
  WRONG_SLIP_KIND: "The slip is of another kind than this endpoint verifies",
  SEVERAL_SLIPS: "The picture shows more than one slip. Send one picture for each slip",
  API_SERVER_ERROR: "External API error"
} as const satisfies Readonly<Record<EndCode, string>>

/** The same codes, in the order of the OpenAPI document. */
export const failureCodes: ReadonlyArray<EndCode> = Object.keys(failureMessages).filter(isEndCode)
