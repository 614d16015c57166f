import { HttpServerResponse } from "effect/http"
import { type ApiError, messageOf, v2Codes } from "./api-error.ts"

/** What an endpoint answers; the envelope is put around it here and nowhere else. */
export interface Reply {
  readonly data: unknown
  readonly message: string
  /** 200 unless told otherwise. */
  readonly status?: number
}

const JSON_TYPE = "application/json"

/** Answers hold personal data, keys and secrets: nobody on the way keeps them, or takes them for anything but JSON. */
const NOT_KEPT = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const send = (body: object, status: number, requestId: string, more?: Readonly<Record<string, string>>) =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: JSON_TYPE,
    headers: { "x-request-id": requestId, ...NOT_KEPT, ...more }
  })

/** `{"success":true,"data":…,"message":"…"}` (contract, v2). */
export const sendReply = ({ data, message, status = 200 }: Reply, requestId: string) =>
  send({ success: true, data, message }, status, requestId)

/** `{"success":false,"error":{"code":"…","message":"…"}}`, with `issues` when fields are at fault. */
export const sendError = (error: ApiError, requestId: string) => {
  const { status } = v2Codes[error.code]
  const { issues, retryAfterSeconds } = error
  const body = {
    code: error.code,
    message: messageOf(error),
    ...(issues === undefined ? {} : { issues })
  }
  const retry = retryAfterSeconds === undefined ? undefined : { "retry-after": String(Math.max(1, retryAfterSeconds)) }
  return send({ success: false, error: body }, status, requestId, retry)
}
