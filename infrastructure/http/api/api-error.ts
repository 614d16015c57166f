import { Data } from "effect"
import type { Issue } from "../../input/decode.ts"
import { failureMessages } from "../../../application/verification/failure-messages.ts"

/**
 * The v2 codes with status and message (docs/spec/http.md, "v2 codes"). Several messages under one code are told apart
 * by the one who raises the error.
 */
export const v2Codes = {
  MISSING_API_KEY: { status: 401, message: "Authorization header is required" },
  INVALID_API_KEY: { status: 401, message: "The provided API key is invalid" },
  BRANCH_INACTIVE: { status: 403, message: "This API branch has been deactivated" },
  SERVICE_BANNED: { status: 403, message: "Service has been banned" },
  SERVICE_DELETED: { status: 403, message: "Service has been deleted" },
  SERVICE_INACTIVE: { status: 403, message: "Service is not active" },
  IP_NOT_ALLOWED: { status: 403, message: "Your IP address is not in the allowed list" },
  QUOTA_EXCEEDED: { status: 403, message: "Your API quota has been exceeded" },
  USER_BANNED: { status: 403, message: "User has been banned" },
  VALIDATION_ERROR: { status: 400, message: "Validation failed" },
  URL_PROTOCOL_NOT_ALLOWED: { status: 400, message: failureMessages.URL_PROTOCOL_NOT_ALLOWED },
  URL_INVALID_IP_RANGE: { status: 400, message: failureMessages.URL_INVALID_IP_RANGE },
  IMAGE_URL_UNREACHABLE: { status: 400, message: failureMessages.IMAGE_URL_UNREACHABLE },
  IMAGE_SIZE_TOO_LARGE: { status: 400, message: failureMessages.IMAGE_SIZE_TOO_LARGE },
  INVALID_IMAGE_TYPE: { status: 400, message: failureMessages.INVALID_IMAGE_TYPE },
  INVALID_IMAGE_FORMAT: { status: 400, message: failureMessages.INVALID_IMAGE_FORMAT },
  INVALID_BANK_CODE: { status: 400, message: "The provided bankCode is not supported" },
  INVALID_EXTRA_VERIFY: { status: 400, message: "extraVerify is not valid for this bank" },
  INVALID_CALLBACK_URL: { status: 400, message: "callbackUrl is not a public https URL" },
  SLIP_NOT_FOUND: { status: 404, message: failureMessages.SLIP_NOT_FOUND },
  SLIP_PENDING: { status: 404, message: failureMessages.SLIP_PENDING },
  BANK_ACCOUNT_NOT_FOUND: { status: 404, message: "Bank account not found" },
  JOB_NOT_FOUND: { status: 404, message: "Async job not found" },
  NOT_FOUND: { status: 404, message: "Resource not found" },
  BANK_ACCOUNT_DUPLICATE: {
    status: 409,
    message: "An active account with the same bank code and number already exists"
  },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: "This Idempotency-Key was used with another request" },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: "A request with this Idempotency-Key is still running" },
  RATE_LIMIT_EXCEEDED: { status: 429, message: "Too many requests" },
  API_SERVER_ERROR: { status: 500, message: failureMessages.API_SERVER_ERROR },
  INTERNAL_SERVER_ERROR: { status: 500, message: "Internal server error" },
  NOT_READY: { status: 503, message: "Not ready to serve" }
} as const

export type V2Code = keyof typeof v2Codes

export const isV2Code = (code: string): code is V2Code => Object.hasOwn(v2Codes, code)

/** A failure as a caller is told it. */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly code: V2Code
  /** Where the code alone does not say it; the code's own message otherwise. */
  readonly message?: string | undefined
  readonly issues?: ReadonlyArray<Issue>
  /** Seconds until trying again may help. */
  readonly retryAfterSeconds?: number
}> {}

/** When trying again may help while an engine is away, in seconds. */
export const RETRY_SOON = 5

/** What a caller is told beside the code. */
export const messageOf = ({ code, message }: ApiError): string =>
  message === undefined || message === "" ? v2Codes[code].message : message
