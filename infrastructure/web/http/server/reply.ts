import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { retryAfterSeconds } from "../../../../domain/waits.ts"
import { ApiError, messageOf, statusOf, V1Error } from "../../api/failures.ts"

/** The answer of an endpoint, without its envelope. */
export interface Reply {
  readonly data: unknown
  readonly message: string
  /** 200 by default. */
  readonly status?: number
  /** False when a change of an operator is in the log, but requests do not see it yet. */
  readonly isVisible?: false
}

/** What an answer needs besides its content. */
export interface ReplyContext {
  readonly requestId: string
  /** Additional headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The form of all answers of one version of the API, for successes and failures. */
export interface Envelope<E, A = Reply> {
  readonly reply: (reply: A, context: ReplyContext) => HttpServerResponse.HttpServerResponse
  readonly error: (error: E, context: ReplyContext) => HttpServerResponse.HttpServerResponse
  /** No route matches. */
  readonly notFound: E
  /** An unexpected failure. */
  readonly unexpected: E
  /** A header occurs twice that may occur once. */
  readonly repeated: (header: string) => E
}

const JSON_TYPE = "application/json"

/** Answers hold personal data, keys and secrets: no proxy may store them, and no browser may guess another type. */
const NO_STORE = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** Sends a body of JSON with the headers of every answer. */
export const sendJson = (body: object, status: number, { headers, requestId }: ReplyContext) =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: JSON_TYPE,
    headers: { "x-request-id": requestId, ...NO_STORE, ...headers }
  })

/** The content of an answer that is a file and has no envelope. */
export class FileAnswer {
  readonly contentType: string
  readonly content: string | Stream.Stream<string>

  /** A stream sends its parts as they come. When it fails, the connection breaks off, so no part looks like the whole. */
  constructor(contentType: string, content: string | Stream.Stream<string>) {
    this.contentType = contentType
    this.content = content
  }
}

/** Sends a file with the headers of every answer. */
export const sendFile = ({ content, contentType }: FileAnswer, { headers, requestId }: ReplyContext) => {
  const options = { contentType, headers: { "x-request-id": requestId, ...NO_STORE, ...headers } }
  return typeof content === "string"
    ? HttpServerResponse.text(content, options)
    : HttpServerResponse.stream(Stream.encodeText(content), options)
}

/** The `Retry-After` header; none when `seconds` is undefined. */
export const retryAfter = (seconds: number | undefined): Readonly<Record<string, string>> =>
  seconds === undefined ? {} : { "retry-after": String(retryAfterSeconds(seconds)) }

const NOT_VISIBLE = "The change is stored. It takes effect when the projector has applied it to the read models"

/** `{"success":true,"data":…,"message":"…"}` (docs/spec/http.md, "v2 answers" and "Admin API"). */
const reply = ({ data, isVisible, message, status = 200 }: Reply, context: ReplyContext) =>
  sendJson(
    isVisible === false
      ? { success: true, data, message: `${message}. ${NOT_VISIBLE}`, isVisible }
      : { success: true, data, message },
    status,
    context
  )

/** `{"success":false,"error":{"code":"…","message":"…"}}`, with `detail` or `issues` where there is more to say. */
const error = (error: ApiError, { headers, requestId }: ReplyContext) => {
  const { code, detail, issues, retryAfterSeconds } = error
  // JSON leaves out what is undefined.
  const body = { code, message: messageOf(error), detail, issues }
  return sendJson({ success: false, error: body }, statusOf(error), {
    requestId,
    headers: { ...headers, ...retryAfter(retryAfterSeconds) }
  })
}

/** The envelope of v2, of the admin API, and of paths outside all versions. */
export const v2Envelope: Envelope<ApiError> = {
  reply,
  error,
  notFound: new ApiError({ code: "NOT_FOUND" }),
  unexpected: new ApiError({ code: "INTERNAL_SERVER_ERROR" }),
  repeated: (header) =>
    new ApiError({ code: "VALIDATION_ERROR", issues: [{ path: header, message: "Send this header once" }] })
}

/**
 * `{"status":200,"data":…}` for a success. For a failure `{"status":…,"message":"<code>"}`, with `data` when the slip is
 * a duplicate, and `issues` when a picture is not valid (docs/spec/http.md, "v1 error body").
 */
export const v1Envelope: Envelope<V1Error, { readonly data: unknown }> = {
  reply: ({ data }, context) => sendJson({ status: 200, data }, 200, context),
  error: (error, { headers, requestId }) => {
    const { code, data, issues, retryAfterSeconds } = error
    const status = statusOf(error)
    const body = { status, message: code, data, issues }
    return sendJson(body, status, { requestId, headers: { ...headers, ...retryAfter(retryAfterSeconds) } })
  },
  notFound: new V1Error({ code: "not_found" }),
  unexpected: new V1Error({ code: "server_error" }),
  repeated: () => new V1Error({ code: "invalid_request" })
}
