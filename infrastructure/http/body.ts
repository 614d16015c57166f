import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { ApiError, invalid } from "./api-error.ts"

/** Fields of a body: JSON values, or text and files of a form. */
export type Fields = Readonly<Record<string, unknown>>

/** A body as fields; `isForm` when numbers and booleans arrive as text. */
export interface Body {
  readonly isForm: boolean
  readonly fields: Fields
}

/** One slip of 4 MB in base64 with room for the other fields (contract, Limits). */
export const SLIP_BODY_BYTES = 6 * 1024 * 1024

const tooLarge = () => new ApiError({ code: "IMAGE_SIZE_TOO_LARGE" })

const readBytes = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, maxBytes: number) {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return yield* tooLarge()
  const buffer = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(maxBytes)),
    // What fails while a body is read is its size, or a caller that went away and reads no answer.
    Effect.mapError(tooLarge)
  )
  return new Uint8Array(buffer)
})

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parseJson = (bytes: Uint8Array): Effect.Effect<Body, ApiError> =>
  Effect.try({
    try: (): unknown => JSON.parse(utf8.decode(bytes)),
    catch: () => invalid({ path: "", message: "The body is not valid JSON" })
  }).pipe(
    Effect.filterOrFail(isFields, () => invalid({ path: "", message: "The body must be a JSON object" })),
    Effect.map((fields) => ({ isForm: false, fields }))
  )

const formFields = async (bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Fields> => {
  const form = await new Response(bytes, { headers: { "content-type": contentType } }).formData()
  const fields: Record<string, unknown> = {}
  for (const [name, value] of form) {
    if (typeof value !== "string") fields[name] = new Uint8Array(await value.arrayBuffer())
    // An empty text field is one that was not filled in.
    else if (value !== "") fields[name] = value
  }
  return fields
}

const parseForm = (bytes: Uint8Array<ArrayBuffer>, contentType: string): Effect.Effect<Body, ApiError> =>
  Effect.tryPromise({
    try: () => formFields(bytes, contentType),
    catch: () => invalid({ path: "", message: "The body is not valid multipart/form-data: is the boundary right?" })
  }).pipe(Effect.map((fields) => ({ isForm: true, fields })))

/**
 * Reads a body of JSON or multipart/form-data. Too many bytes are IMAGE_SIZE_TOO_LARGE (contract, Limits), everything
 * else that is wrong with it VALIDATION_ERROR. Without a content type JSON is taken.
 */
export const readBody = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number = SLIP_BODY_BYTES
) {
  const contentType = request.headers["content-type"] ?? "application/json"
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  const isJson = mediaType === "application/json" || mediaType.endsWith("+json")
  if (!isJson && mediaType !== "multipart/form-data") {
    return yield* invalid({ path: "", message: "Send application/json or multipart/form-data" })
  }
  const bytes = yield* readBytes(request, maxBytes)
  return yield* isJson ? parseJson(bytes) : parseForm(bytes, contentType)
})
