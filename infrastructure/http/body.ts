import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Data, Effect } from "effect"
import type { Readable } from "node:stream"
import { type Exchange, MAX_BODY_BYTES } from "./endpoint.ts"
import { type Fields, invalid, type InvalidInput } from "../input/decode.ts"
import type { ReceivedBody } from "./api/operation.ts"
import { ApiError } from "./api/failures.ts"

/** The body has too many bytes, or the caller disconnected. */
class BodyUnread extends Data.TaggedError("BodyUnread")<{}> {}

type Bytes = Uint8Array<ArrayBuffer>

/** Reads the bytes of a body, up to `bodyBytes`. */
const readBytes = ({ bodyBytes, headers, request }: Exchange): Effect.Effect<Bytes, BodyUnread> =>
  // Only the server's own reader handles `Expect` and `Upgrade`.
  headers["expect"] === undefined && headers["upgrade"] === undefined
    ? collect(toIncomingMessage(request), bodyBytes)
    : Effect.mapBoth(request.arrayBuffer, {
      onSuccess: (buffer) => new Uint8Array(buffer),
      onFailure: () => new BodyUnread()
    })

/** Reads by the events of Node's stream: a generic stream reader takes a tenth of a verification's time. */
const collect = (message: Readable, maxBytes: number): Effect.Effect<Bytes, BodyUnread> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer<ArrayBuffer>> = []
    let size = 0
    const onData = (chunk: Buffer<ArrayBuffer>) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) finish(Effect.fail(new BodyUnread()))
    }
    const onEnd = () => finish(Effect.succeed(Buffer.concat(chunks)))
    // The stream closed before its end.
    const onClose = () => finish(Effect.fail(new BodyUnread()))
    const unsubscribe = () => {
      message.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose)
    }
    const finish = (outcome: Effect.Effect<Bytes, BodyUnread>) => {
      unsubscribe()
      resume(outcome)
    }
    if (message.destroyed) return onClose()
    message.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose)
    return Effect.sync(unsubscribe)
  })

const tooLarge = (maxBytes: number): ApiError | InvalidInput =>
  maxBytes === MAX_BODY_BYTES
    ? new ApiError({ code: "IMAGE_SIZE_TOO_LARGE" })
    : invalid({ path: "", message: `The body is larger than ${maxBytes} bytes` })

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
    // An empty text field, and a file field without a file, count as absent.
    if (value === "" || (typeof value !== "string" && value.name === "" && value.size === 0)) continue
    if (fields.has(name)) throw new Error(`the field ${name} occurs twice`)
    fields.set(name, typeof value === "string" ? value : new Uint8Array(await value.arrayBuffer()))
  }
  return Object.fromEntries(fields)
}

const unreadable = (contentType: string): string =>
  contentType.toLowerCase().startsWith("multipart/")
    ? "The body is not valid multipart/form-data. Check the boundary, and send each field once."
    : "The body is not a valid form. Send each field once."

const parseForm = (bytes: Uint8Array<ArrayBuffer>, contentType: string): Effect.Effect<ReceivedBody, InvalidInput> =>
  Effect.tryPromise({
    try: () => formFields(bytes, contentType),
    catch: () => invalid({ path: "", message: unreadable(contentType) })
  }).pipe(Effect.map((fields) => ({ isForm: true, fields })))

export const MULTIPART = "multipart/form-data"
export const URLENCODED = "application/x-www-form-urlencoded"

/**
 * Reads a body of JSON, or of a form whose media type is one of `forms`. A body without a content type is JSON. A body
 * above the limit of one slip fails with IMAGE_SIZE_TOO_LARGE (docs/spec/http.md, "Limits"). Every other fault is a
 * VALIDATION_ERROR.
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

/** The fields of an optional body; empty when there is no body. */
export const fieldsOf = Effect.fnUntraced(function* (exchange: Exchange) {
  const { "content-length": length, "transfer-encoding": encoding } = exchange.headers
  if (length === "0" || (length === undefined && encoding === undefined)) return {} satisfies Fields
  return (yield* readBody(exchange)).fields
})
