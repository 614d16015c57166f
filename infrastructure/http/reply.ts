import { HttpServerResponse } from "effect/http"
import { ApiError, messageOf, V1Error, v1Failures, v2Failures } from "./api/failures.ts"

/** What an endpoint answers; its envelope is put around it. */
export interface Reply {
  readonly data: unknown
  readonly message: string
  /** 200 unless told otherwise. */
  readonly status?: number
}

/** What goes with an answer, good or bad. */
export interface Answering {
  readonly requestId: string
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>
}

/** How every answer of one version of the API looks: what its endpoints give, and what they fail with. */
export interface Envelope<E, A = Reply> {
  readonly reply: (reply: A, answering: Answering) => HttpServerResponse.HttpServerResponse
  readonly error: (error: E, answering: Answering) => HttpServerResponse.HttpServerResponse
  /** There is no such route. */
  readonly notFound: E
  /** An unexpected failure. */
  readonly unforeseen: E
}

const JSON_TYPE = "application/json"

/** Answers hold personal data, keys and secrets: no proxy may store them, and no browser may guess another type. */
const NOT_KEPT = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** A body of JSON as it is sent, whatever its envelope. */
export const sendJson = (body: object, status: number, { headers, requestId }: Answering) =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: JSON_TYPE,
    headers: { "x-request-id": requestId, ...NOT_KEPT, ...headers }
  })

/** The header that says when to try again, in seconds; none without them. */
export const retryAfter = (seconds: number | undefined): Readonly<Record<string, string>> =>
  seconds === undefined ? {} : { "retry-after": String(Math.max(1, seconds)) }

/** `{"success":true,"data":…,"message":"…"}` (docs/spec/http.md, "v2 answers"). */
const reply = ({ data, message, status = 200 }: Reply, answering: Answering) =>
  sendJson({ success: true, data, message }, status, answering)

/** `{"success":false,"error":{"code":"…","message":"…"}}`, with `issues` when fields are at fault. */
const error = (error: ApiError, { headers, requestId }: Answering) => {
  const { issues, retryAfterSeconds } = error
  const body = {
    code: error.code,
    message: messageOf(error),
    ...(issues === undefined ? {} : { issues })
  }
  return sendJson({ success: false, error: body }, v2Failures[error.code].status, {
    requestId,
    headers: { ...headers, ...retryAfter(retryAfterSeconds) }
  })
}

/** The envelope of v2, of the admin API and of whatever belongs to no version. */
export const v2Envelope: Envelope<ApiError> = {
  reply,
  error,
  notFound: new ApiError({ code: "NOT_FOUND" }),
  unforeseen: new ApiError({ code: "INTERNAL_SERVER_ERROR" })
}

/**
 * `{"status":200,"data":…}`, and of a failure `{"status":…,"message":"<code>"}`, with `data` when the slip is a
 * duplicate (docs/spec/http.md, "v1 error body").
 */
export const v1Envelope: Envelope<V1Error, { readonly data: unknown }> = {
  reply: ({ data }, answering) => sendJson({ status: 200, data }, 200, answering),
  error: ({ code, data, retryAfterSeconds }, { headers, requestId }) => {
    const status = v1Failures[code].status
    const body = { status, message: code, ...(data === undefined ? {} : { data }) }
    return sendJson(body, status, { requestId, headers: { ...headers, ...retryAfter(retryAfterSeconds) } })
  },
  notFound: new V1Error({ code: "not_found" }),
  unforeseen: new V1Error({ code: "server_error" })
}
