/**
 * The error codes that a verification, or a job, can end with, and their messages (docs/spec/http.md, "v2 codes"). What
 * is told over HTTP and what a callback carries come from here, so that both say the same.
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
  API_SERVER_ERROR: "External API error"
} as const

export type FailureMessageCode = keyof typeof failureMessages
