import { type V2Code, v2Codes } from "./api-error.ts"
import { type V1Code, v1Codes } from "../v1/codes.ts"
import { callerCodes, v1CallerCodes } from "./codes.ts"
import { v1Failure, v1Success, v2Failure, v2Success } from "./envelope.ts"
import { rawSlip } from "./examples.ts"
import type { Operation, Success, Wire } from "./operation.ts"

/** How the answers of one version of the API look. */
export interface Version<Code extends string> {
  /** What every operation with a key can answer. */
  readonly callerCodes: ReadonlyArray<Code>
  /** Begins the names of what the versions have each for itself. */
  readonly prefix: "" | "V1"
  readonly statusOf: (code: Code) => number
  /** What a code means, in a few words. */
  readonly meaningOf: (code: Code) => string
  readonly success: (data: Wire) => Wire
  readonly failure: (status: number, codes: ReadonlyArray<Code>) => Wire
  /** A success with this data. */
  readonly told: (success: Success, data: unknown) => unknown
  /** A failure with this code. */
  readonly refused: (code: Code, fault: Operation["fault"]) => unknown
}

export const v2Version: Version<V2Code> = {
  callerCodes,
  prefix: "",
  statusOf: (code) => v2Codes[code].status,
  meaningOf: (code) => v2Codes[code].message,
  success: v2Success,
  failure: (_, codes) => v2Failure(codes),
  told: ({ message }, data) => ({ success: true, data, message }),
  refused: (code, fault) => ({
    success: false,
    error: {
      code,
      message: v2Codes[code].message,
      ...(code === "VALIDATION_ERROR" && fault !== undefined ? { issues: [fault] } : {})
    }
  })
}

/** docs/spec/http.md, "v1 codes". */
const meanings: Readonly<Record<V1Code, string>> = {
  unauthorized: "The API key is missing or unknown",
  access_denied: "This address may not call, or the application is banned",
  account_not_verified: "The account is not verified",
  application_expired: "The application has expired",
  application_deactivated: "The application is deactivated",
  quota_exceeded: "The quota of the month is used up",
  invalid_payload: "The payload is not that of a bank slip",
  invalid_check_duplicate: "checkDuplicate is neither true nor false",
  invalid_url: "The URL is malformed, not public, or gives nothing",
  invalid_image: "The file is not a valid image",
  image_size_too_large: "The image exceeds 4 MB",
  invalid_request: "The request does not have exactly one slip",
  duplicate_slip: "The slip was verified before",
  slip_not_found: "The bank knows no such slip",
  slip_pending: "The transfer is very recent: its bank may not know it yet",
  qrcode_not_found: "There is no QR code in the image",
  not_found: "There is no such endpoint",
  rate_limit_exceeded: "Too many requests",
  server_error: "Internal error",
  api_server_error: "The bank, or an engine of the service, is away"
}

export const v1Version: Version<V1Code> = {
  callerCodes: v1CallerCodes,
  prefix: "V1",
  statusOf: (code) => v1Codes[code],
  meaningOf: (code) => meanings[code],
  success: v1Success,
  failure: v1Failure,
  told: (_, data) => ({ status: 200, data }),
  refused: (code) => ({
    status: v1Codes[code],
    message: code,
    ...(code === "duplicate_slip" ? { data: rawSlip } : {})
  })
}

/** Codes by their status, in their order. */
export const byStatus = <Code extends string>(
  codes: ReadonlyArray<Code>,
  { statusOf }: Version<Code>
): ReadonlyMap<number, ReadonlyArray<Code>> => {
  const groups = new Map<number, Array<Code>>()
  for (const code of codes) {
    const status = statusOf(code)
    groups.set(status, [...groups.get(status) ?? [], code])
  }
  return groups
}
