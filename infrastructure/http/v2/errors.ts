import type { VerificationError } from "../../../application/commands/verify-slip.ts"
import type { ImageUnusable, ImageUrlFailed } from "../../../application/commands/slip-source.ts"
import type { EventStoreError } from "../../../application/ports/event-store.ts"
import type { QuotaError } from "../../../application/ports/quota.ts"
import type { ReadModelsError } from "../../../application/ports/read-models.ts"
import type { CallerRefused, Refusal } from "../../../application/queries/callers.ts"
import { ApiError, invalid, type V2Code } from "../api-error.ts"

/** What may help when an engine or a bank is away, in seconds. */
const RETRY_SOON = 5

const refusals: Readonly<Record<Refusal, V2Code>> = {
  "unknown-key": "INVALID_API_KEY",
  "service-deleted": "SERVICE_DELETED",
  "service-banned": "SERVICE_BANNED",
  "account-banned": "USER_BANNED",
  "account-not-verified": "SERVICE_INACTIVE",
  "service-expired": "SERVICE_INACTIVE",
  "service-deactivated": "SERVICE_INACTIVE",
  "branch-inactive": "BRANCH_INACTIVE"
}

const imageUrlFailed = ({ detail, reason }: ImageUrlFailed): ApiError => {
  switch (reason) {
    case "invalid-url":
      return invalid({ path: "url", message: detail })
    case "protocol":
      return new ApiError({ code: "URL_PROTOCOL_NOT_ALLOWED" })
    case "not-public":
      return new ApiError({ code: "URL_INVALID_IP_RANGE" })
    case "too-large":
      return new ApiError({ code: "IMAGE_SIZE_TOO_LARGE" })
    default:
      return new ApiError({ code: "IMAGE_URL_UNREACHABLE" })
  }
}

const imageUnusable = ({ fromUrl, reason }: ImageUnusable): ApiError => {
  if (reason === "too-large") return new ApiError({ code: "IMAGE_SIZE_TOO_LARGE" })
  return new ApiError({ code: fromUrl && reason === "not-an-image" ? "INVALID_IMAGE_TYPE" : "INVALID_IMAGE_FORMAT" })
}

/** The one table from what the application rejects to what a v2 caller is told. */
export const toApiError = (
  error: VerificationError | CallerRefused | ReadModelsError | EventStoreError | QuotaError
): ApiError => {
  switch (error._tag) {
    case "CallerRefused":
      return new ApiError({ code: refusals[error.reason] })
    case "NoSlip":
    case "SlipUnknown":
      return new ApiError({ code: "SLIP_NOT_FOUND" })
    case "SlipPending":
      return new ApiError({ code: "SLIP_PENDING", retryAfterSeconds: error.retryAfterSeconds })
    case "UpstreamUnavailable":
      return new ApiError({ code: "API_SERVER_ERROR", retryAfterSeconds: error.retryAfterSeconds })
    case "QuotaExceeded":
      return new ApiError({ code: "QUOTA_EXCEEDED" })
    case "ImageUrlFailed":
      return imageUrlFailed(error)
    case "ImageUnusable":
      return imageUnusable(error)
    case "ReaderUnavailable":
    case "QuotaError":
    case "ReadModelsError":
    case "EventStoreError":
    case "WrongExpectedRevision":
      return new ApiError({ code: "API_SERVER_ERROR", retryAfterSeconds: RETRY_SOON })
  }
}
