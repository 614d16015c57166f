import { Data } from "effect"
import type { rawSlip } from "../../../application/verification/verification-view.ts"

/** The v1 codes with their status (docs/spec/http.md, "v1 codes"). */
export const v1Codes = {
  unauthorized: 401,
  access_denied: 403,
  account_not_verified: 403,
  application_expired: 403,
  application_deactivated: 403,
  quota_exceeded: 403,
  invalid_payload: 400,
  invalid_check_duplicate: 400,
  invalid_url: 400,
  invalid_image: 400,
  image_size_too_large: 400,
  invalid_request: 400,
  duplicate_slip: 400,
  slip_not_found: 404,
  slip_pending: 404,
  qrcode_not_found: 404,
  not_found: 404,
  rate_limit_exceeded: 429,
  server_error: 500,
  api_server_error: 500
} as const

export type V1Code = keyof typeof v1Codes

/** A failure as a v1 caller is told it. */
export class V1Error extends Data.TaggedError("V1Error")<{
  readonly code: V1Code
  /** The slip that was there before; only with duplicate_slip (docs/spec/http.md, "v1 error body"). */
  readonly data?: ReturnType<typeof rawSlip>
  /** Seconds until trying again may help. */
  readonly retryAfterSeconds?: number | undefined
}> {}
