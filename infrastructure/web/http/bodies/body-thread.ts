import type { Fields } from "../../input/decode.ts"
import { isFields } from "../../input/is-fields.ts"
import { serveThread } from "../../../platform/threads/serve-thread.ts"
import { type BodyTask, decodeBody, type DecodedBody } from "./decode-body.ts"
import { inlineBytes, isUrlText } from "./picture-text.ts"
import { MAX_PICTURE_TEXT } from "../../api/body-limits.ts"

// The thread that decodes large bodies and the base64 of their pictures. It loads no Effect.

/** Texts from this length are decoded here. Shorter ones take the main thread less time than another message. */
const MIN_PICTURE_TEXT = 8 * 1024

const PICTURE_FIELDS = ["image", "base64", "data"]

/** A picture of a body that was sent as text, and its place: the field of the body or of one of its slips. */
export interface DecodedPicture {
  readonly slip: number | undefined
  readonly field: string
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

export interface BodyAnswer {
  readonly decoded: DecodedBody
  readonly pictures: ReadonlyArray<DecodedPicture>
}

/** The schema refuses a longer text by its length. */
const isPictureText = (text: string): boolean =>
  text.length >= MIN_PICTURE_TEXT && text.length <= MAX_PICTURE_TEXT && !isUrlText(text)

/** Moves the texts of pictures out of the fields. */
const takePictures = (fields: Fields, slip: number | undefined) => {
  const rest: Record<string, unknown> = { ...fields }
  const pictures = PICTURE_FIELDS.flatMap((field): ReadonlyArray<DecodedPicture> => {
    const text = fields[field]
    if (typeof text !== "string" || !isPictureText(text)) return []
    delete rest[field]
    return [{ slip, field, bytes: inlineBytes(text) }]
  })
  return { fields: pictures.length === 0 ? fields : rest, pictures }
}

const withoutPictures = (decoded: DecodedBody): BodyAnswer => {
  if ("fault" in decoded) return { decoded, pictures: [] }
  const whole = takePictures(decoded.fields, undefined)
  const { slips: received } = decoded.fields
  if (!Array.isArray(received)) {
    return { decoded: { ...decoded, fields: whole.fields }, pictures: whole.pictures }
  }
  const slips = received.map((slip: unknown, index) =>
    isFields(slip) ? takePictures(slip, index) : { fields: slip, pictures: [] }
  )
  return {
    decoded: { ...decoded, fields: { ...whole.fields, slips: slips.map(({ fields }) => fields) } },
    pictures: [...whole.pictures, ...slips.flatMap(({ pictures }) => pictures)]
  }
}

/** The buffers of files and pictures. A view of a part of a buffer is copied. */
const buffersOf = ({ decoded, pictures }: BodyAnswer): ReadonlyArray<ArrayBuffer> => {
  const values = "fault" in decoded ? [] : Object.values(decoded.fields)
  const whole = [...values, ...pictures.map(({ bytes }) => bytes)].flatMap((value) =>
    value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength
      ? [value.buffer]
      : []
  )
  return [...new Set(whole)]
}

serveThread<undefined, undefined, BodyTask, BodyAnswer>(() => ({
  ready: undefined,
  answer: (task) => withoutPictures(decodeBody(task)),
  transfer: buffersOf
}), { inBackground: true })
