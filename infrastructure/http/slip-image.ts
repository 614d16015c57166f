import { Effect } from "effect"
import type { SlipSource } from "../../application/verification/slip-source.ts"
import { MAX_IMAGE_BYTES } from "../../ports/slip-reader.ts"
import { invalid, type InvalidInput } from "../input/decode.ts"
import { inlineBytes, type InlinePicture, isUrlText } from "./bodies/picture-text.ts"
import { type ApiError, apiError } from "./api/failures.ts"

/** Maximum length of a URL, in characters (docs/spec/http.md, "POST /v2/verify/bank"). */
const MAX_URL_LENGTH = 2048

const notAnImage = () => apiError("INVALID_IMAGE_FORMAT")

/** The bytes of a file. */
export const fromFile = (bytes: Uint8Array): Effect.Effect<SlipSource, ApiError> =>
  bytes.length > MAX_IMAGE_BYTES
    ? Effect.fail(apiError("IMAGE_SIZE_TOO_LARGE"))
    : Effect.succeed({ _tag: "Image", bytes })

/** Base64 or a data URI of base64; a large one was decoded with the body. */
export const fromInline = (picture: string | InlinePicture): Effect.Effect<SlipSource, ApiError> => {
  const bytes = typeof picture === "string" ? inlineBytes(picture) : picture.bytes
  return bytes === undefined || bytes.length === 0 ? Effect.fail(notAnImage()) : fromFile(bytes)
}

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

/** `image` that is not a file: a URL or inline data (docs/spec/http.md, "POST /v2/verify/bank"). */
export const fromImage = (image: string | InlinePicture): Effect.Effect<SlipSource, ApiError | InvalidInput> =>
  typeof image === "string" && isUrlText(image) ? fromUrl("image", image) : fromInline(image)
