import { ExpectedError } from "../../../domain/expected-error.ts"
import type { Issue } from "../../../application/views/failure.ts"
import type { RawSlip, RawWalletSlip } from "../../../application/views/slip.ts"
import { failureMessages } from "../../../domain/failed-verification.ts"

export type { Issue }

interface Row {
  readonly status: number
  /** Whether the OpenAPI document names `Retry-After`. */
  readonly isRetryable?: true
  /** The status while the service is overloaded; absent where it is the same. */
  readonly overloadStatus?: number
}

interface V1Row extends Row {
  /** What the code means, for the OpenAPI document: answers of v1 have no message. */
  readonly meaning: string
}

/** The codes of v1 (docs/spec/http.md, "v1 codes"). */
export const v1Failures = {
  unauthorized: { status: 401, meaning: "The API key is missing or unknown" },
  access_denied: { status: 403, meaning: "This address or key may not do this, or the application is banned" },
  account_not_verified: { status: 403, meaning: "The account is not verified" },
  application_expired: { status: 403, meaning: "The application has expired" },
  application_deactivated: { status: 403, meaning: "The application is deactivated" },
  quota_exceeded: { status: 403, meaning: "The quota of the month is used up" },
  invalid_payload: { status: 400, meaning: "The payload is not that of a bank slip" },
  invalid_check_duplicate: { status: 400, meaning: "checkDuplicate is neither true nor false" },
  invalid_url: { status: 400, meaning: "The URL is malformed, not public, or gives nothing" },
  invalid_image: { status: 400, meaning: "The file is not a valid image" },
  image_size_too_large: { status: 400, meaning: "The image exceeds 4 MB" },
  invalid_request: { status: 400, meaning: "The request does not have exactly one slip" },
  unsupported_content_encoding: { status: 415, meaning: "The body is compressed in another way than with gzip" },
  duplicate_slip: { status: 400, meaning: "The slip was verified before" },
  slip_not_found: { status: 404, meaning: "The bank knows no such slip" },
  slip_pending: {
    status: 404,
    meaning: "The transfer is very recent: its bank may not know it yet",
    isRetryable: true
  },
  qrcode_not_found: { status: 404, meaning: "There is no QR code in the image" },
  not_found: { status: 404, meaning: "There is no such endpoint" },
  rate_limit_exceeded: { status: 429, meaning: "Too many requests", isRetryable: true },
  server_error: { status: 500, meaning: "Internal error" },
  truewallet_not_supported: { status: 501, meaning: "No gateway of this service verifies TrueMoney slips" },
  api_server_error: {
    status: 500,
    meaning: "The bank, or an engine of the service, is away",
    isRetryable: true,
    overloadStatus: 503
  }
} as const satisfies Record<string, V1Row>

export type V1Code = keyof typeof v1Failures

interface V2Row extends Row {
  readonly message: string
  /** The code of the same failure in v1. */
  readonly v1: V1Code
  /** Whether the failure is final: the next request with the same `Idempotency-Key` gets it again. */
  readonly isRemembered?: true
}

/**
 * The codes of v2 and of the admin API (docs/spec/http.md, "v2 codes"). An error may carry another message than that of
 * its code.
 */
export const v2Failures = {
  MISSING_API_KEY: { status: 401, message: "Authorization header is required", v1: "unauthorized" },
  INVALID_API_KEY: { status: 401, message: "The provided API key is invalid", v1: "unauthorized" },
  BRANCH_INACTIVE: {
    status: 403,
    message: "This API branch has been deactivated",
    v1: "application_deactivated"
  },
  SERVICE_BANNED: { status: 403, message: "Service has been banned", v1: "access_denied" },
  SERVICE_DELETED: { status: 403, message: "Service has been deleted", v1: "application_deactivated" },
  SERVICE_INACTIVE: { status: 403, message: "Service is not active", v1: "application_deactivated" },
  ROLE_MISSING: { status: 403, message: "Your role may not do this", v1: "access_denied" },
  IP_NOT_ALLOWED: { status: 403, message: "Your IP address is not in the allowed list", v1: "access_denied" },
  SCOPE_MISSING: { status: 403, message: "The API key may not do this", v1: "access_denied" },
  QUOTA_EXCEEDED: { status: 403, message: "Your API quota has been exceeded", v1: "quota_exceeded" },
  USER_BANNED: { status: 403, message: "User has been banned", v1: "access_denied" },
  VALIDATION_ERROR: { status: 400, message: "Validation failed", v1: "invalid_request" },
  URL_PROTOCOL_NOT_ALLOWED: { status: 400, message: failureMessages.URL_PROTOCOL_NOT_ALLOWED, v1: "invalid_url" },
  URL_INVALID_IP_RANGE: { status: 400, message: failureMessages.URL_INVALID_IP_RANGE, v1: "invalid_url" },
  IMAGE_URL_UNREACHABLE: { status: 400, message: failureMessages.IMAGE_URL_UNREACHABLE, v1: "invalid_url" },
  IMAGE_SIZE_TOO_LARGE: { status: 400, message: failureMessages.IMAGE_SIZE_TOO_LARGE, v1: "image_size_too_large" },
  INVALID_IMAGE_TYPE: { status: 400, message: failureMessages.INVALID_IMAGE_TYPE, v1: "invalid_image" },
  INVALID_IMAGE_FORMAT: { status: 400, message: failureMessages.INVALID_IMAGE_FORMAT, v1: "invalid_image" },
  INVALID_BANK_CODE: { status: 400, message: "The provided bankCode is not supported", v1: "invalid_request" },
  INVALID_EXTRA_VERIFY: { status: 400, message: "extraVerify is not valid for this bank", v1: "invalid_request" },
  INVALID_CALLBACK_URL: { status: 400, message: "callbackUrl is not a public https URL", v1: "invalid_url" },
  UNSUPPORTED_CONTENT_ENCODING: {
    status: 415,
    message: "The Content-Encoding of the body is not supported",
    v1: "unsupported_content_encoding"
  },
  SLIP_NOT_FOUND: {
    status: 404,
    message: failureMessages.SLIP_NOT_FOUND,
    v1: "slip_not_found",
    isRemembered: true
  },
  WRONG_SLIP_KIND: {
    status: 400,
    message: failureMessages.WRONG_SLIP_KIND,
    v1: "invalid_payload",
    isRemembered: true
  },
  SEVERAL_SLIPS: {
    status: 400,
    message: failureMessages.SEVERAL_SLIPS,
    v1: "invalid_image",
    isRemembered: true
  },
  TRUEWALLET_NOT_SUPPORTED: {
    status: 501,
    message: "No gateway of this service verifies TrueMoney slips: ask its operator",
    v1: "truewallet_not_supported"
  },
  SLIP_PENDING: { status: 404, message: failureMessages.SLIP_PENDING, v1: "slip_pending", isRetryable: true },
  BANK_ACCOUNT_NOT_FOUND: { status: 404, message: "Bank account not found", v1: "not_found" },
  API_KEY_NOT_FOUND: { status: 404, message: "API key not found", v1: "not_found" },
  JOB_NOT_FOUND: { status: 404, message: "Async job not found", v1: "not_found" },
  PROOF_PENDING: {
    status: 404,
    message: "Some of its events are not signed yet. Try again later",
    v1: "not_found",
    isRetryable: true
  },
  VERIFICATION_NOT_FOUND: { status: 404, message: "Verification not found", v1: "not_found" },
  NOT_FOUND: { status: 404, message: "Resource not found", v1: "not_found" },
  BANK_ACCOUNT_DUPLICATE: {
    status: 409,
    message: "An active account with the same bank code and number already exists",
    v1: "invalid_request",
    isRemembered: true
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    message: "This Idempotency-Key was used with another request",
    v1: "invalid_request"
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    message: "A request with this Idempotency-Key is still running",
    v1: "invalid_request"
  },
  API_KEY_IN_USE: {
    status: 409,
    message: "The API key belongs to a branch, or belonged to one. Import another key, or create one",
    v1: "invalid_request"
  },
  RATE_LIMIT_EXCEEDED: { status: 429, message: "Too many requests", v1: "rate_limit_exceeded", isRetryable: true },
  API_SERVER_ERROR: {
    status: 500,
    message: failureMessages.API_SERVER_ERROR,
    v1: "api_server_error",
    isRetryable: true,
    overloadStatus: 503
  },
  INTERNAL_SERVER_ERROR: { status: 500, message: "Internal server error", v1: "server_error" },
  NOT_READY: { status: 503, message: "Not ready to serve", v1: "api_server_error" }
} as const satisfies Record<string, V2Row>

export type V2Code = keyof typeof v2Failures

export const isV2Code = (code: string): code is V2Code => Object.hasOwn(v2Failures, code)

export const isRemembered = (code: V2Code): boolean => {
  const row: V2Row = v2Failures[code]
  return row.isRemembered === true
}

/** A failure in the envelope of v2. */
export class ApiError<Code extends V2Code = V2Code> extends ExpectedError("ApiError")<{
  readonly code: V2Code
  /** The message of the code by default. */
  readonly message?: string | undefined
  /** What the code and its message do not say. */
  readonly detail?: string | undefined
  readonly issues?: ReadonlyArray<Issue> | undefined
  /** Seconds until another attempt may succeed. */
  readonly retryAfterSeconds?: number
  /** Whether the service is overloaded, which some codes show in their status. */
  readonly isOverload?: boolean | undefined
}> {
  declare readonly code: Code
}

/** An error whose type names its code, so that the compiler compares it with the declared codes of an operation. */
export const apiError = <const Code extends V2Code>(
  code: Code,
  details: Omit<ConstructorParameters<typeof ApiError>[0], "code"> = {}
): ApiError<Code> => new ApiError<Code>({ code, ...details })

export const messageOf = ({ code, message }: ApiError): string =>
  message === undefined || message === "" ? v2Failures[code].message : message

/** The statuses of a code: usually, and while the service is overloaded. */
const statuses = ({ overloadStatus, status }: Row): readonly [number, number] => [
  status,
  overloadStatus ?? status
]

export const v2Statuses = (code: V2Code) => statuses(v2Failures[code])
export const v1Statuses = (code: V1Code) => statuses(v1Failures[code])

/** The HTTP status of an error. */
export const statusOf = (error: ApiError | V1Error): number => {
  const [usual, overloaded] = error._tag === "ApiError" ? v2Statuses(error.code) : v1Statuses(error.code)
  return error.isOverload === true ? overloaded : usual
}

/** A failure in the envelope of v1. */
export class V1Error<Code extends V1Code = V1Code> extends ExpectedError("V1Error")<{
  readonly code: V1Code
  /** The slip that was verified before; only with `duplicate_slip` (docs/spec/http.md, "v1 error body"). */
  readonly data?: RawSlip | RawWalletSlip
  /** Why a picture is not valid; only with `invalid_image`. */
  readonly issues?: ReadonlyArray<Issue> | undefined
  /** Seconds until another attempt may succeed. */
  readonly retryAfterSeconds?: number | undefined
  /** Whether the service is overloaded, which some codes show in their status. */
  readonly isOverload?: boolean | undefined
}> {
  declare readonly code: Code
}

export const v1Error = <const Code extends V1Code>(
  code: Code,
  details: Omit<ConstructorParameters<typeof V1Error>[0], "code"> = {}
): V1Error<Code> => new V1Error<Code>({ code, ...details })

/** The codes of every v2 operation that needs a key (docs/spec/http.md, "Order of checks"). */
export const callerCodes = [
  "MISSING_API_KEY",
  "INVALID_API_KEY",
  "SERVICE_DELETED",
  "SERVICE_BANNED",
  "USER_BANNED",
  "SERVICE_INACTIVE",
  "BRANCH_INACTIVE",
  "IP_NOT_ALLOWED",
  "RATE_LIMIT_EXCEEDED",
  "API_SERVER_ERROR",
  "INTERNAL_SERVER_ERROR"
] as const satisfies ReadonlyArray<V2Code>

/** The codes of every v2 operation that needs a key with a scope. */
export const scopedCodes = [...callerCodes, "SCOPE_MISSING"] as const satisfies ReadonlyArray<V2Code>

/** Codes for a picture that the request contains. */
export const pictureCodes = [
  "URL_PROTOCOL_NOT_ALLOWED",
  "IMAGE_SIZE_TOO_LARGE",
  "INVALID_IMAGE_FORMAT"
] as const satisfies ReadonlyArray<V2Code>

/** Codes for a picture that the service fetches. */
export const fetchedPictureCodes = [
  ...pictureCodes,
  "URL_INVALID_IP_RANGE",
  "IMAGE_URL_UNREACHABLE",
  "INVALID_IMAGE_TYPE"
] as const satisfies ReadonlyArray<V2Code>

export const bankCodes = ["INVALID_BANK_CODE", "INVALID_EXTRA_VERIFY"] as const satisfies ReadonlyArray<V2Code>

export const keyedCodes = ["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS"] as const satisfies ReadonlyArray<V2Code>

/** The codes of every v1 operation (docs/spec/http.md, "v1 codes"). */
export const v1CallerCodes = [
  "unauthorized",
  "access_denied",
  "account_not_verified",
  "application_expired",
  "application_deactivated",
  "rate_limit_exceeded",
  "server_error",
  "api_server_error"
] as const satisfies ReadonlyArray<V1Code>

export const v1VerifyCodes = [
  "quota_exceeded",
  "invalid_request",
  "invalid_check_duplicate",
  "invalid_payload",
  "duplicate_slip",
  "slip_not_found",
  "slip_pending"
] as const satisfies ReadonlyArray<V1Code>
