import type { V2Code } from "./api-error.ts"
import type { V1Code } from "../v1/codes.ts"

/** What every endpoint with a key can answer: who calls is judged first (docs/spec/http.md, "Order of checks"). */
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

/** What is wrong with a picture in the request itself. */
export const pictureCodes = [
  "URL_PROTOCOL_NOT_ALLOWED",
  "IMAGE_SIZE_TOO_LARGE",
  "INVALID_IMAGE_FORMAT"
] as const satisfies ReadonlyArray<V2Code>

/** And with one that has to be fetched. */
export const fetchedPictureCodes = [
  ...pictureCodes,
  "URL_INVALID_IP_RANGE",
  "IMAGE_URL_UNREACHABLE",
  "INVALID_IMAGE_TYPE"
] as const satisfies ReadonlyArray<V2Code>

export const bankCodes = ["INVALID_BANK_CODE", "INVALID_EXTRA_VERIFY"] as const satisfies ReadonlyArray<V2Code>

export const keyedCodes = ["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS"] as const satisfies ReadonlyArray<V2Code>

/** The same of v1 (docs/spec/http.md, "v1 codes"). */
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
