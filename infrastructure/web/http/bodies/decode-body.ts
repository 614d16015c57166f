import type { JsonLimits } from "../../api/body-limits.ts"
import type { Fields } from "../../input/decode.ts"
import { isFields } from "../../input/is-fields.ts"
import { MAX_PARTS, multipartFault, type Part, readParts, TOO_MANY_PARTS } from "./multipart.ts"
import type { ReceivedBody } from "./normalize-slip.ts"
import { percentDecoded } from "./percent-encoding.ts"
import { type KnownFields, normalizedFields, type RequestDigests, requestDigests } from "./request-digests.ts"

// Runs in the body thread too: it loads no Effect.

/** A body and how it is decoded. */
export interface BodyTask {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The media type in lower case, without parameters. */
  readonly mediaType: string
  /** The media type with its parameters. */
  readonly contentType: string
  readonly limits: JsonLimits
  /** Whether the fields are those of a slip (`normalizeSlip`). */
  readonly isSlip: boolean
  /** The route of a request with an `Idempotency-Key`; undefined when the content needs no digest. */
  readonly digestRoute: string | undefined
  /** The fields that count for the digest; all of them without it. */
  readonly known?: KnownFields | undefined
}

/** The fields of a body, or the message for the caller about what is wrong with it. */
export type DecodedBody =
  | ReceivedBody & Partial<RequestDigests>
  | { readonly fault: string }

export const JSON_TYPE = "application/json"
export const MULTIPART = "multipart/form-data"
export const URLENCODED = "application/x-www-form-urlencoded"

export const isJsonType = (mediaType: string): boolean => mediaType === JSON_TYPE || mediaType.endsWith("+json")

const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf)
const WHITE_SPACE = [0x20, 0x09, 0x0a, 0x0d]

/** Whether bytes begin as a JSON object does, after white space. No form begins so. */
export const beginsAsObject = (bytes: Uint8Array): boolean => {
  let index = BYTE_ORDER_MARK.equals(bytes.subarray(0, 3)) ? 3 : 0
  while (WHITE_SPACE.includes(bytes[index] ?? 0)) index += 1
  return bytes[index] === OPEN_OBJECT
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The value of JSON; undefined when the bytes are not JSON. */
const parseJson = (bytes: Uint8Array): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(utf8.decode(bytes)) }
  } catch {
    return undefined
  }
}

const decodeJson = ({ bytes }: BodyTask): Fields | string => {
  const parsed = parseJson(bytes)
  if (parsed === undefined) return "The body is not valid JSON"
  return isFields(parsed.value) ? parsed.value : "The body must be a JSON object"
}

/** The text of bytes; undefined when they are not UTF-8. */
const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** A copy with a buffer of its own, which can move between threads. */
const bytesOf = (content: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(content)

/** Fields whose value is a picture, also when the part has no name of a file. */
const PICTURES = ["image", "file"]

/**
 * The value of a part: bytes of a file, or text. `""` counts as absent, as an empty text field and a file field without a
 * file do; undefined when the text is not UTF-8. Some clients name no file: a picture shows by its type, or by its bytes.
 */
const valueOf = ({ content, filename, mediaType = "text/plain", name }: Part): string | Uint8Array | undefined => {
  if (content.length === 0 && (filename ?? "") === "") return ""
  const isPicture = PICTURES.includes(name)
  if (filename !== undefined || (isPicture && !mediaType.startsWith("text/"))) return bytesOf(content)
  return textOf(content) ?? (isPicture ? bytesOf(content) : undefined)
}

const NOT_UTF8 = "The form is not encoded in UTF-8"
const REPEATED = "The form has a field more than once. Send each field once."

/** The fields of a form. */
const fieldsOf = (
  entries: Iterable<readonly [name: string, value: string | Uint8Array | undefined]>
): Fields | string => {
  const fields = new Map<string, string | Uint8Array>()
  for (const [name, value] of entries) {
    if (value === undefined) return NOT_UTF8
    if (value === "") continue
    if (fields.has(name)) return REPEATED
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}

const decodeMultipart = ({ bytes, contentType }: BodyTask): Fields | string => {
  const read = readParts(bytes, contentType)
  return "fault" in read ? read.fault : fieldsOf(read.parts.map((part) => [part.name, valueOf(part)]))
}

/** Another encoding than UTF-8 would be stored with wrong letters, also when it is percent-encoded. */
const decodeUrlencoded = ({ bytes }: BodyTask): Fields | string => {
  const text = textOf(bytes)
  return text === undefined || textOf(percentDecoded(bytes)) === undefined
    ? NOT_UTF8
    : fieldsOf(new URLSearchParams(text))
}

/** Decodes a body within its limits. */
export const decodeBody = (task: BodyTask): DecodedBody => {
  if (task.mediaType === MULTIPART) return decoded(task, true, decodeMultipart(task))
  const fault = structureFault(task)
  if (fault !== undefined) return { fault }
  return isJsonType(task.mediaType)
    ? decoded(task, false, decodeJson(task))
    : decoded(task, true, decodeUrlencoded(task))
}

const decoded = (task: BodyTask, isForm: boolean, fields: Fields | string): DecodedBody =>
  typeof fields === "string" ? { fault: fields } : { isForm, fields, ...digestsOf(task, { isForm, fields }) }

const digestsOf = ({ digestRoute, isSlip, known }: BodyTask, received: ReceivedBody): Partial<RequestDigests> =>
  digestRoute === undefined
    ? {}
    : requestDigests(digestRoute, received, normalizedFields(received, isSlip), { isSlip, known })

/** Why a body, or the beginning of one, is too complex; undefined when it is within the limits. */
export const structureFault = (
  { bytes, contentType, limits, mediaType }: Pick<BodyTask, "bytes" | "contentType" | "limits" | "mediaType">
): string | undefined => {
  if (isJsonType(mediaType)) return jsonFault(bytes, limits)
  return mediaType === MULTIPART ? multipartFault(bytes, contentType) : urlencodedFault(bytes)
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The index of the quote that ends the string which begins before `start`. */
const endOfString = (bytes: Uint8Array, start: number): number => {
  let index = start
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1
  return index
}

/**
 * Why a JSON body is too complex; undefined when it is within the limits. Makes one pass over the bytes and stops at the
 * first fault. Bytes that are not JSON may pass: the parser refuses them.
 */
export const jsonFault = (bytes: Uint8Array, limits: JsonLimits): string | undefined => {
  /** For each open container: the values so far, and their limit. */
  const counts: Array<number> = []
  const most: Array<number> = []
  let depth = 0
  let values = 0
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === QUOTE) {
      index = endOfString(bytes, index + 1)
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1
      if (depth > limits.depth) return `The body is nested deeper than ${limits.depth} levels`
      values += 1
      counts[depth] = 1
      most[depth] = byte === OPEN_OBJECT ? limits.keys : limits.items
    } else if (byte === COMMA) {
      values += 1
      const count = (counts[depth] ?? 0) + 1
      counts[depth] = count
      const limit = most[depth] ?? 0
      if (depth > 0 && count > limit) {
        return limit === limits.keys
          ? `An object of the body has more than ${limit} fields`
          : `An array of the body has more than ${limit} items`
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      // The parser stops here too.
      if (depth === 0) return undefined
      depth -= 1
    }
    if (values > limits.values) return `The body has more than ${limits.values} values`
  }
  return undefined
}

/** Why an urlencoded form is too complex; undefined when it is within the limits. */
export const urlencodedFault = (bytes: Uint8Array): string | undefined => {
  let fields = 1
  for (let at = bytes.indexOf(0x26); at !== -1; at = bytes.indexOf(0x26, at + 1)) {
    fields += 1
    if (fields > MAX_PARTS) return TOO_MANY_PARTS
  }
  return undefined
}
