import { describePicture } from "../../../application/verification/describe-failure.ts"
import type { EnqueueError } from "../../../application/jobs/enqueue-slips.ts"
import type { NothingToRedeliver } from "../../../application/callbacks/redeliver-callback.ts"
import type { RefusedBefore, RequestInProgress } from "../../../application/events/run-idempotent.ts"
import type { ImageUrlFailed } from "../../../application/verification/slip-source.ts"
import type { VerificationError } from "../../../application/verification/verify-slip.ts"
import type { EventStoreError } from "../../../ports/event-store.ts"
import type { QuotaError } from "../../../ports/quota.ts"
import type { ReadModelsError } from "../../../ports/read-models.ts"
import type { CallerRefused, Refusal } from "../../../application/provisioning/callers.ts"
import type { JobNotFound } from "../../../application/jobs/job-view.ts"
import type { BankRefused } from "../../../domain/bank.ts"
import type { BankAccountRejection } from "../../../domain/bank-account/bank-account.ts"
import type { BankNumberRefused } from "../../../domain/bank-account/bank-number.ts"
import type { KeyReused } from "../../../domain/idempotency-key.ts"
import { ApiError, isV2Code, RETRY_SOON, type V2Code } from "../api/api-error.ts"
import { invalid, type InvalidInput } from "../../input/decode.ts"

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

const nothingToRedeliver: Readonly<Record<NothingToRedeliver["reason"], string>> = {
  "pending": "The job has not ended: its callback is sent when it does",
  "no-url": "The job has no callbackUrl, and its branch had no default when it was accepted"
}

const bankRefused = {
  "unknown-bank": { code: "INVALID_BANK_CODE" },
  "extra-verify-invalid": { code: "INVALID_EXTRA_VERIFY" },
  "extra-verify-required": { code: "INVALID_EXTRA_VERIFY", message: "extraVerify is required for this bank" }
} as const satisfies Readonly<Record<BankRefused["reason"], { readonly code: V2Code; readonly message?: string }>>

const validationError = ({ issues }: InvalidInput) => new ApiError({ code: "VALIDATION_ERROR", issues })

const imageUrlFailed = (error: ImageUrlFailed): ApiError =>
  error.reason === "invalid-url"
    ? validationError(invalid({ path: "url", message: error.detail }))
    : new ApiError({ code: describePicture(error).code })

/** The one table from what the application rejects to what a v2 caller is told; what is told already stays. */
export const toApiError = (
  error:
    | ApiError
    | InvalidInput
    | VerificationError
    | EnqueueError
    | JobNotFound
    | NothingToRedeliver
    | BankRefused
    | BankNumberRefused
    | BankAccountRejection
    | KeyReused
    | RequestInProgress
    | RefusedBefore
    | CallerRefused
    | ReadModelsError
    | EventStoreError
    | QuotaError
): ApiError => {
  switch (error._tag) {
    case "ApiError":
      return error
    case "InvalidInput":
      return validationError(error)
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
      return new ApiError({ code: describePicture(error).code })
    case "PicturesUnusable":
      return new ApiError({ code: describePicture(error.pictures[0].failure).code })
    case "JobNotFound":
      return new ApiError({ code: "JOB_NOT_FOUND" })
    case "BankRefused":
      return new ApiError(bankRefused[error.reason])
    case "BankNumberRefused":
      return validationError(invalid({ path: "bankNumber", message: error.message }))
    case "BankAccountNotFound":
      return new ApiError({ code: "BANK_ACCOUNT_NOT_FOUND" })
    case "BankAccountDuplicate":
      return new ApiError({ code: "BANK_ACCOUNT_DUPLICATE" })
    case "KeyReused":
      return new ApiError({ code: "IDEMPOTENCY_KEY_REUSED" })
    case "RequestInProgress":
      return new ApiError({ code: "IDEMPOTENCY_IN_PROGRESS", retryAfterSeconds: 1 })
    case "RefusedBefore":
      return new ApiError(
        isV2Code(error.code) ? { code: error.code, message: error.message } : { code: "INTERNAL_SERVER_ERROR" }
      )
    case "NothingToRedeliver":
      return validationError(invalid({ path: "jobId", message: nothingToRedeliver[error.reason] }))
    case "ReaderUnavailable":
    case "QuotaError":
    case "ReadModelsError":
    case "EventStoreError":
    case "WrongExpectedRevision":
    case "BankAccountStale":
      return new ApiError({ code: "API_SERVER_ERROR", retryAfterSeconds: RETRY_SOON })
  }
}
