import { Effect } from "effect"
import type { SlipSource } from "../../application/verification/slip-source.ts"
import { MAX_IMAGE_BYTES } from "../../ports/slip-reader.ts"
import { invalid, type InvalidInput } from "../input/decode.ts"
import { type ApiError, apiError } from "./api/failures.ts"

const SCHEME = /^[a-z][a-z0-9+.-]*:/iu
const DATA_URI = /^data:[^,]*,/iu
/** No character matches two parts of the pattern. Otherwise a long run of white space would take quadratic time. */
const BASE64 = /^[A-Za-z0-9+/\-_\s]*(?:=\s*){0,2}$/u

/** Maximum length of a URL, in characters (docs/spec/http.md, "POST /v2/verify/bank"). */
const MAX_URL_LENGTH = 2048

const notAnImage = () => apiError("INVALID_IMAGE_FORMAT")

const fromBase64 = (text: string): Effect.Effect<SlipSource, ApiError> => {
  if (!BASE64.test(text)) return Effect.fail(notAnImage())
  const bytes = Buffer.from(text, "base64")
  return bytes.length === 0 ? Effect.fail(notAnImage()) : fromFile(bytes)
}

const fromDataUri = (text: string): Effect.Effect<SlipSource, ApiError> => {
  const head = DATA_URI.exec(text)?.[0]
  return head !== undefined && /;base64,$/iu.test(head)
    ? fromBase64(text.slice(head.length))
    : Effect.fail(notAnImage())
}

/** The bytes of a file. */
export const fromFile = (bytes: Uint8Array): Effect.Effect<SlipSource, ApiError> =>
  bytes.length > MAX_IMAGE_BYTES
    ? Effect.fail(apiError("IMAGE_SIZE_TOO_LARGE"))
    : Effect.succeed({ _tag: "Image", bytes })

/** Base64 or a data URI of base64. */
export const fromInline = (text: string): Effect.Effect<SlipSource, ApiError> =>
  DATA_URI.test(text) ? fromDataUri(text) : fromBase64(text)

/** An http or https URL; other schemes are refused before the host is resolved. */
export const fromUrl = (path: string, text: string): Effect.Effect<SlipSource, ApiError | InvalidInput> => {
  if (text.length > MAX_URL_LENGTH) {
    return Effect.fail(invalid({ path, message: `A URL has at most ${MAX_URL_LENGTH} characters` }))
  }
  if (!URL.canParse(text)) return Effect.fail(invalid({ path, message: "Must be an absolute http or https URL" }))
  const { password, protocol, username } = new URL(text)
  if (protocol !== "http:" && protocol !== "https:") {
    return Effect.fail(apiError("URL_PROTOCOL_NOT_ALLOWED"))
  }
  if (username !== "" || password !== "") {
    return Effect.fail(invalid({ path, message: "Must not hold a user name or password" }))
  }
  return Effect.succeed({ _tag: "ImageUrl", url: text })
}

/**
 * `image` as text: a URL when it begins with a scheme, inline data otherwise (docs/spec/http.md, "POST
 * /v2/verify/bank").
 */
export const fromImageText = (text: string): Effect.Effect<SlipSource, ApiError | InvalidInput> =>
  SCHEME.test(text) && !/^data:/iu.test(text) ? fromUrl("image", text) : fromInline(text)
