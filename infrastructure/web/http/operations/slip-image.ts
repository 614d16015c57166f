import { Effect } from "effect"
import type { SlipSource } from "../../../../application/verification/slip-source.ts"
import { readQr } from "../../../../domain/slip/qr-kind.ts"
import { MAX_IMAGE_BYTES } from "../../../../ports/slip-reader.ts"
import { invalid, type InvalidInput } from "../../input/decode.ts"
import { inlineBytes, type InlinePicture, isUrlText } from "../bodies/picture-text.ts"
import { type ApiError, apiError } from "../../api/failures.ts"

/** Maximum length of a URL, in characters (docs/spec/http.md, "POST /v2/verify/bank"). */
const MAX_URL_LENGTH = 2048

/** The bytes of a file in a field. */
export const fromFile = (field: string, bytes: Uint8Array): Effect.Effect<SlipSource, ApiError> =>
  bytes.length > MAX_IMAGE_BYTES
    ? Effect.fail(apiError("IMAGE_SIZE_TOO_LARGE"))
    : Effect.succeed({ _tag: "Image", bytes, field })

/** Maximum length of the text of a slip's QR code, in characters. */
const MAX_QR_LENGTH = 128

/** Whether a text is that of a slip's QR code. Its letters and digits would count as base64. */
const isQrText = (text: string): boolean =>
  text.length <= MAX_QR_LENGTH && ["slip", "truemoney"].includes(readQr(text).kind)

/** Why a text in a field is no picture. */
const notInline = (field: string, picture: string | InlinePicture): string => {
  if (typeof picture === "string" && isQrText(picture)) {
    return "The text is that of a QR code, not a picture. The text of a bank's slip belongs in payload"
  }
  return field === "base64"
    ? "The text is neither base64 nor a data URI of base64"
    : "The text is neither base64, nor a data URI of base64, nor the URL of a picture"
}

/** Base64 or a data URI of base64 in a field; a large one was decoded with the body. */
export const fromInline = (
  field: string,
  picture: string | InlinePicture
): Effect.Effect<SlipSource, ApiError> => {
  const bytes = typeof picture === "string" ? isQrText(picture) ? undefined : inlineBytes(picture) : picture.bytes
  return bytes === undefined
    ? Effect.fail(
      apiError("INVALID_IMAGE_FORMAT", { issues: [{ path: field, message: notInline(field, picture) }] })
    )
    : fromFile(field, bytes)
}

/** An http or https URL; other schemes are refused before the host is resolved. */
export const fromUrl = (field: string, text: string): Effect.Effect<SlipSource, ApiError | InvalidInput> => {
  if (text.length > MAX_URL_LENGTH) {
    return Effect.fail(invalid({ path: field, message: `A URL has at most ${MAX_URL_LENGTH} characters` }))
  }
  if (!URL.canParse(text)) {
    return Effect.fail(invalid({ path: field, message: "Must be an absolute http or https URL" }))
  }
  const { password, protocol, username } = new URL(text)
  if (protocol !== "http:" && protocol !== "https:") {
    return Effect.fail(apiError("URL_PROTOCOL_NOT_ALLOWED"))
  }
  if (username !== "" || password !== "") {
    return Effect.fail(invalid({ path: field, message: "Must not hold a user name or password" }))
  }
  return Effect.succeed({ _tag: "ImageUrl", url: text, field })
}

/** A picture in a field that is not a file: a URL or inline data (docs/spec/http.md, "POST /v2/verify/bank"). */
export const fromImage = (
  field: string,
  image: string | InlinePicture
): Effect.Effect<SlipSource, ApiError | InvalidInput> =>
  typeof image === "string" && isUrlText(image) ? fromUrl(field, image) : fromInline(field, image)
