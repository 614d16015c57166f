import { Data } from "effect"

/** A fault of one field of a request. `path` is empty when it is the whole body's. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/**
 * The v2 codes with status and message (specification, "v2 codes"), and beyond them those of the contract. Several
 * messages under one code are told apart by the one who raises the error.
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
  URL_PROTOCOL_NOT_ALLOWED: { status: 400, message: "Only HTTP/HTTPS allowed" },
  URL_INVALID_IP_RANGE: { status: 400, message: "URL points to restricted IP" },
  IMAGE_URL_UNREACHABLE: { status: 400, message: "Unable to access URL" },
  IMAGE_SIZE_TOO_LARGE: { status: 400, message: "Image exceeds 4MB limit" },
  INVALID_IMAGE_TYPE: { status: 400, message: "URL is not a valid image" },
  INVALID_IMAGE_FORMAT: { status: 400, message: "File is not a valid image" },
  INVALID_BANK_CODE: { status: 400, message: "The provided bankCode is not supported" },
  INVALID_EXTRA_VERIFY: { status: 400, message: "extraVerify is not valid for this bank" },
  SLIP_NOT_FOUND: { status: 404, message: "Slip not found or invalid" },
  SLIP_PENDING: { status: 404, message: "A slip of a specific bank is pending" },
  NOT_FOUND: { status: 404, message: "Resource not found" },
  API_SERVER_ERROR: { status: 500, message: "External API error" },
  INTERNAL_SERVER_ERROR: { status: 500, message: "Internal server error" },
  NOT_READY: { status: 503, message: "Not ready to serve" }
} as const

export type V2Code = keyof typeof v2Codes

/** A failure as a caller is told it. */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly code: V2Code
  /** Where the code alone does not say it; the code's own message otherwise. */
  readonly message?: string | undefined
  readonly issues?: ReadonlyArray<Issue>
  /** Seconds until trying again may help. */
  readonly retryAfterSeconds?: number
}> {}

/** A request whose fields are at fault. */
export const invalid = (...issues: ReadonlyArray<Issue>): ApiError => new ApiError({ code: "VALIDATION_ERROR", issues })
