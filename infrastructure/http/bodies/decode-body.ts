import type { Fields } from "../../input/decode.ts"
import { contentDigest } from "./content-digest.ts"
import { normalizeSlip } from "./normalize-slip.ts"
import { percentDecoded } from "./percent-encoding.ts"

// Runs in the body thread too: it loads no Effect.

/**
 * The largest structure of a JSON body. A parser and a schema take time and memory for each value, so a body of some
 * megabytes could otherwise stop the process for seconds.
 */
export interface JsonLimits {
  /** Containers inside each other; the body itself is the first. */
  readonly depth: number
  /** Values in the whole body, at any depth. */
  readonly values: number
  /** Items of one array. */
  readonly items: number
  /** Fields of one object. */
  readonly keys: number
}

/** The limits of a body, unless its operation declares others (docs/spec/http.md, "Limits"). */
export const DEFAULT_JSON_LIMITS: JsonLimits = { depth: 32, values: 5_000, items: 2_000, keys: 256 }

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
}

/** The fields of a body, or the message for the caller about what is wrong with it. */
export type DecodedBody =
  | {
    readonly isForm: boolean
    readonly fields: Fields
    /** The digest of the route and the normalized fields. */
    readonly digest: string | undefined
  }
  | { readonly fault: string }

export const MULTIPART = "multipart/form-data"
export const URLENCODED = "application/x-www-form-urlencoded"

export const isJsonType = (mediaType: string): boolean =>
  mediaType === "application/json" || mediaType.endsWith("+json")

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

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

const formFields = async ({ bytes, contentType }: BodyTask): Promise<Fields | undefined> => {
  const form = await new Response(bytes, { headers: { "content-type": contentType } }).formData().catch(() => undefined)
  if (form === undefined) return undefined
  const fields = new Map<string, unknown>()
  for (const [name, value] of form) {
    // An empty text field, and a file field without a file, count as absent.
    if (value === "" || (typeof value !== "string" && value.name === "" && value.size === 0)) continue
    if (fields.has(name)) return undefined
    fields.set(name, typeof value === "string" ? value : new Uint8Array(await value.arrayBuffer()))
  }
  return Object.fromEntries(fields)
}

/** Whether the text of an urlencoded form is UTF-8. Another encoding would be stored with wrong letters. */
const isUtf8 = (form: Uint8Array): boolean => {
  try {
    utf8.decode(percentDecoded(form))
    return true
  } catch {
    return false
  }
}

const decodeForm = async (task: BodyTask): Promise<Fields | string> => {
  if (task.mediaType === URLENCODED && !isUtf8(task.bytes)) return "The form is not encoded in UTF-8"
  return await formFields(task)
    ?? (task.mediaType === MULTIPART
      ? "The body is not valid multipart/form-data. Check the boundary, and send each field once."
      : "The body is not a valid form. Send each field once.")
}

/** Decodes a body within its limits: JSON at once, a form as a promise that never rejects. */
export const decodeBody = (task: BodyTask): DecodedBody | Promise<DecodedBody> => {
  const fault = structureFault(task)
  if (fault !== undefined) return { fault }
  return isJsonType(task.mediaType)
    ? decoded(task, false, decodeJson(task))
    : decodeForm(task).then((fields) => decoded(task, true, fields))
}

const decoded = (task: BodyTask, isForm: boolean, fields: Fields | string): DecodedBody =>
  typeof fields === "string" ? { fault: fields } : { isForm, fields, digest: digestOf(task, { isForm, fields }) }

const digestOf = (
  { digestRoute, isSlip }: BodyTask,
  received: { readonly isForm: boolean; readonly fields: Fields }
): string | undefined =>
  digestRoute === undefined ? undefined : contentDigest(digestRoute, isSlip ? normalizeSlip(received) : received.fields)

/** Why a body, or the beginning of one, is too complex; undefined when it is within the limits. */
export const structureFault = (
  { bytes, limits, mediaType }: Pick<BodyTask, "bytes" | "limits" | "mediaType">
): string | undefined => {
  if (isJsonType(mediaType)) return jsonFault(bytes, limits)
  return mediaType === MULTIPART ? multipartFault(bytes) : urlencodedFault(bytes)
}

/** Parts of a multipart form, or fields of an urlencoded one. */
const MAX_PARTS = 100

/** The headers of one part, in bytes. */
const MAX_PART_HEADER_BYTES = 16 * 1024

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

const TOO_MANY_PARTS = `The form has more than ${MAX_PARTS} fields`

/** Why a multipart form is too complex; undefined when it is within the limits. */
export const multipartFault = (bytes: Uint8Array<ArrayBuffer>): string | undefined => {
  const form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const delimiter = firstLine(form)
  // The parser refuses a form that does not begin with its boundary.
  if (delimiter.length < 3) return undefined
  let parts = 0
  for (let start = form.indexOf(delimiter); start !== -1; start = form.indexOf(delimiter, start + delimiter.length)) {
    const head = form.subarray(start, start + delimiter.length + MAX_PART_HEADER_BYTES)
    parts += 1
    if (parts > MAX_PARTS + 1) return TOO_MANY_PARTS
    if (head.length > MAX_PART_HEADER_BYTES && !head.includes("\r\n\r\n")) {
      return `The headers of a form's part have more than ${MAX_PART_HEADER_BYTES} bytes`
    }
  }
  return undefined
}

/** The first line of a multipart form, which is its delimiter. */
const firstLine = (form: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> => {
  let start = 0
  while (form[start] === 0x0d || form[start] === 0x0a) start += 1
  const end = form.indexOf("\r\n", start)
  return form.subarray(start, end === -1 ? form.length : end)
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
