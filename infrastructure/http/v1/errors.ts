import type { ImageUnusable, ImageUrlFailed, NoSlip } from "../../../application/verification/slip-source.ts"
import type { VerificationError } from "../../../application/verification/verify-slip.ts"
import type { ReadModelsError } from "../../../ports/read-models.ts"
import type { CallerRefused, Refusal } from "../../../application/provisioning/callers.ts"
import type { InvalidInput } from "../../input/decode.ts"
import { type ApiError, RETRY_SOON, type V2Code } from "../api/api-error.ts"
import { type V1Code, V1Error } from "./codes.ts"

const refusals: Readonly<Record<Refusal, V1Code>> = {
  "unknown-key": "unauthorized",
  "service-deleted": "application_deactivated",
  "service-banned": "access_denied",
  "account-banned": "access_denied",
  "account-not-verified": "account_not_verified",
  "service-expired": "application_expired",
  "service-deactivated": "application_deactivated",
  "branch-inactive": "application_deactivated"
}

/**
 * docs/spec/http.md, "v1 codes": a picture in which there is no QR code to read is told from a text that is none of a
 * slip.
 */
const noSlip: Readonly<Record<NoSlip["reason"], V1Code>> = {
  "no-qr": "qrcode_not_found",
  "unreadable": "qrcode_not_found",
  "no-slip-qr": "invalid_payload",
  "too-long": "invalid_payload",
  "broken-tlv": "invalid_payload",
  "wrong-crc": "invalid_payload",
  "not-a-slip": "invalid_payload"
}

const imageUrlFailed: Readonly<Record<ImageUrlFailed["reason"], V1Code>> = {
  "invalid-url": "invalid_url",
  "protocol": "invalid_url",
  "not-public": "invalid_url",
  "unresolvable": "invalid_url",
  "unreachable": "invalid_url",
  "timeout": "invalid_url",
  "too-large": "image_size_too_large",
  "too-many-redirects": "invalid_url",
  "bad-status": "invalid_url"
}

const imageUnusable: Readonly<Record<ImageUnusable["reason"], V1Code>> = {
  "not-an-image": "invalid_image",
  "corrupt": "invalid_image",
  "too-large": "image_size_too_large",
  "too-many-pixels": "invalid_image"
}

/** Steps that both versions take tell in v2's words; all of those have a place here, whichever a step comes to say. */
const inV1: Readonly<Record<V2Code, V1Code>> = {
  MISSING_API_KEY: "unauthorized",
  INVALID_API_KEY: "unauthorized",
  BRANCH_INACTIVE: "application_deactivated",
  SERVICE_BANNED: "access_denied",
  SERVICE_DELETED: "application_deactivated",
  SERVICE_INACTIVE: "application_deactivated",
  IP_NOT_ALLOWED: "access_denied",
  QUOTA_EXCEEDED: "quota_exceeded",
  USER_BANNED: "access_denied",
  VALIDATION_ERROR: "invalid_request",
  URL_PROTOCOL_NOT_ALLOWED: "invalid_url",
  URL_INVALID_IP_RANGE: "invalid_url",
  IMAGE_URL_UNREACHABLE: "invalid_url",
  IMAGE_SIZE_TOO_LARGE: "image_size_too_large",
  INVALID_IMAGE_TYPE: "invalid_image",
  INVALID_IMAGE_FORMAT: "invalid_image",
  INVALID_BANK_CODE: "invalid_request",
  INVALID_EXTRA_VERIFY: "invalid_request",
  INVALID_CALLBACK_URL: "invalid_url",
  SLIP_NOT_FOUND: "slip_not_found",
  SLIP_PENDING: "slip_pending",
  BANK_ACCOUNT_NOT_FOUND: "not_found",
  JOB_NOT_FOUND: "not_found",
  NOT_FOUND: "not_found",
  BANK_ACCOUNT_DUPLICATE: "invalid_request",
  IDEMPOTENCY_KEY_REUSED: "invalid_request",
  IDEMPOTENCY_IN_PROGRESS: "invalid_request",
  RATE_LIMIT_EXCEEDED: "rate_limit_exceeded",
  API_SERVER_ERROR: "api_server_error",
  INTERNAL_SERVER_ERROR: "server_error",
  NOT_READY: "api_server_error"
}

/** The one table from what the application rejects to what a v1 caller is told; what is told already stays. */
export const toV1Error = (
  error: V1Error | ApiError | InvalidInput | VerificationError | CallerRefused | ReadModelsError
): V1Error => {
  switch (error._tag) {
    case "V1Error":
      return error
    case "ApiError":
      return new V1Error({ code: inV1[error.code], retryAfterSeconds: error.retryAfterSeconds })
    case "InvalidInput":
      return new V1Error({ code: "invalid_request" })
    case "CallerRefused":
      return new V1Error({ code: refusals[error.reason] })
    case "NoSlip":
      return new V1Error({ code: noSlip[error.reason] })
    case "SlipUnknown":
      return new V1Error({ code: "slip_not_found" })
    case "SlipPending":
      return new V1Error({ code: "slip_pending", retryAfterSeconds: error.retryAfterSeconds })
    case "UpstreamUnavailable":
      return new V1Error({ code: "api_server_error", retryAfterSeconds: error.retryAfterSeconds })
    case "QuotaExceeded":
      return new V1Error({ code: "quota_exceeded" })
    case "ImageUrlFailed":
      return new V1Error({ code: imageUrlFailed[error.reason] })
    case "ImageUnusable":
      return new V1Error({ code: imageUnusable[error.reason] })
    case "ReaderUnavailable":
    case "QuotaError":
    case "ReadModelsError":
    case "EventStoreError":
    case "WrongExpectedRevision":
      return new V1Error({ code: "api_server_error", retryAfterSeconds: RETRY_SOON })
  }
}
