import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Data, Effect } from "effect"
import type { Readable } from "node:stream"
import { BODY_BYTES, type Exchange } from "./endpoint.ts"
import { type Fields, invalid, type InvalidInput } from "../input/decode.ts"
import type { ReceivedBody } from "./api/operation.ts"
import { ApiError } from "./api/failures.ts"

/** The body has too many bytes, or the caller disconnected. */
class BodyUnread extends Data.TaggedError("BodyUnread")<{}> {}

type Bytes = Uint8Array<ArrayBuffer>

/** The bytes of a body, at most `bodyBytes`. */
const readBytes = ({ bodyBytes, headers, request }: Exchange): Effect.Effect<Bytes, BodyUnread> =>
  // Who asks whether it may send, or for another protocol, is understood by the server's own reader alone.
  headers["expect"] === undefined && headers["upgrade"] === undefined
    ? collect(toIncomingMessage(request), bodyBytes)
    : Effect.mapBoth(request.arrayBuffer, {
      onSuccess: (buffer) => new Uint8Array(buffer),
      onFailure: () => new BodyUnread()
    })

/** By the events of the runtime's own stream: a reader for any kind of stream takes a tenth of a verification's time. */
const collect = (message: Readable, most: number): Effect.Effect<Bytes, BodyUnread> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer<ArrayBuffer>> = []
    let size = 0
    const take = (chunk: Buffer<ArrayBuffer>) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > most) give(Effect.fail(new BodyUnread()))
    }
    const end = () => give(Effect.succeed(Buffer.concat(chunks)))
    // Closed without an end.
    const close = () => give(Effect.fail(new BodyUnread()))
    const leave = () => {
      message.off("data", take).off("end", end).off("close", close).off("error", close)
    }
    const give = (outcome: Effect.Effect<Bytes, BodyUnread>) => {
      leave()
      resume(outcome)
    }
    if (message.destroyed) return close()
    message.on("data", take).on("end", end).on("close", close).on("error", close)
    return Effect.sync(leave)
  })

const tooLarge = (most: number): ApiError | InvalidInput =>
  most === BODY_BYTES
    ? new ApiError({ code: "IMAGE_SIZE_TOO_LARGE" })
    : invalid({ path: "", message: `The body is larger than ${most} bytes` })

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parseJson = (bytes: Uint8Array): Effect.Effect<ReceivedBody, InvalidInput> =>
  Effect.try({
    try: (): unknown => JSON.parse(utf8.decode(bytes)),
    catch: () => invalid({ path: "", message: "The body is not valid JSON" })
  }).pipe(
    Effect.filterOrFail(isFields, () => invalid({ path: "", message: "The body must be a JSON object" })),
    Effect.map((fields) => ({ isForm: false, fields }))
  )

const formFields = async (bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Fields> => {
  const form = await new Response(bytes, { headers: { "content-type": contentType } }).formData()
  const fields = new Map<string, unknown>()
  for (const [name, value] of form) {
    // An empty text field, or a file field without a file, is one that was not filled in.
    if (value === "" || (typeof value !== "string" && value.name === "" && value.size === 0)) continue
    if (fields.has(name)) throw new Error(`the field ${name} is there twice`)
    fields.set(name, typeof value === "string" ? value : new Uint8Array(await value.arrayBuffer()))
  }
  return Object.fromEntries(fields)
}

const unreadable = (contentType: string): string =>
  contentType.toLowerCase().startsWith("multipart/")
    ? "The body is not valid multipart/form-data: is the boundary right, each field once?"
    : "The body is not a valid form: is each field there once?"

const parseForm = (bytes: Uint8Array<ArrayBuffer>, contentType: string): Effect.Effect<ReceivedBody, InvalidInput> =>
  Effect.tryPromise({
    try: () => formFields(bytes, contentType),
    catch: () => invalid({ path: "", message: unreadable(contentType) })
  }).pipe(Effect.map((fields) => ({ isForm: true, fields })))

export const MULTIPART = "multipart/form-data"
export const URLENCODED = "application/x-www-form-urlencoded"

/**
 * Reads a body of JSON or a form, of multipart/form-data unless told otherwise. Too many bytes for one slip are
 * IMAGE_SIZE_TOO_LARGE (docs/spec/http.md, "Limits"), everything else that is wrong with it VALIDATION_ERROR. Without a
 * content type JSON is taken.
 */
export const readBody = Effect.fnUntraced(function* (exchange: Exchange, forms: ReadonlyArray<string> = [MULTIPART]) {
  const contentType = exchange.headers["content-type"] ?? "application/json"
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  const isJson = mediaType === "application/json" || mediaType.endsWith("+json")
  if (!isJson && !forms.includes(mediaType)) {
    return yield* invalid({ path: "", message: `Send application/json or ${forms.join(" or ")}` })
  }
  const { bodyBytes, headers } = exchange
  if (Number(headers["content-length"] ?? 0) > bodyBytes) return yield* tooLarge(bodyBytes)
  const bytes = yield* Effect.mapError(readBytes(exchange), () => tooLarge(bodyBytes))
  return yield* isJson ? parseJson(bytes) : parseForm(bytes, contentType)
})

/** The fields of the body; none when there is no body, which is fine where every field is optional. */
export const fieldsOf = Effect.fnUntraced(function* (exchange: Exchange) {
  const { "content-length": length, "transfer-encoding": encoding } = exchange.headers
  if (length === "0" || (length === undefined && encoding === undefined)) return {} satisfies Fields
  return (yield* readBody(exchange)).fields
})
