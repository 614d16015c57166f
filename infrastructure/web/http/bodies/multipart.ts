import { parseHeaderValue } from "./header-params.ts"

// Runs in the body thread too: it loads no Effect.

/** One part of a form. */
export interface Part {
  readonly name: string
  /** The name of a file, which may be empty; undefined when the part has none. */
  readonly filename: string | undefined
  /** The media type in lower case, without parameters; undefined when the part has none. */
  readonly mediaType: string | undefined
  /** A view of the form, unless the part was encoded. */
  readonly content: Buffer
}

/** Parts of a multipart form, or fields of an urlencoded one. */
export const MAX_PARTS = 100

/** The headers of one part, in bytes. */
const MAX_PART_HEADER_BYTES = 16 * 1024

/** In bytes. RFC 2046 allows 70; no client needs more than this. */
const MAX_BOUNDARY_BYTES = 200

export const TOO_MANY_PARTS = `The form has more than ${MAX_PARTS} fields`
const LONG_HEADERS = `The headers of a form's part have more than ${MAX_PART_HEADER_BYTES} bytes`
const NO_BOUNDARY = "The Content-Type of the form names no boundary. Let the HTTP client write this header"
const OTHER_BOUNDARY =
  "The form does not contain the boundary of its Content-Type. Let the HTTP client write this header"
const NO_END = "The form has no final boundary, so a part of it may be missing. Send the whole form"
const BAD_HEADERS = "The headers of a form's part are malformed"
const NO_NAME = 'A part of the form has no name. Each part needs Content-Disposition: form-data; name="…"'
const ENCODED = "A part of the form is encoded. Send its bytes without a Content-Transfer-Encoding"

/** Faults that the beginning of a form shows already. */
const LIMITS: ReadonlyArray<string> = [TOO_MANY_PARTS, LONG_HEADERS]

/** The parts of a form, or the message for the caller about what is wrong with it. */
type Parts = { readonly parts: ReadonlyArray<Part> } | { readonly fault: string }

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const DASH = 0x2d

/** A delimiter line. */
interface Delimiter {
  /** Where the content before it ends. */
  readonly start: number
  /** Where the line after it begins. */
  readonly end: number
  readonly isLast: boolean
}

/**
 * The end of the line of a delimiter, whose dashes and boundary end at `index`; undefined when it is no delimiter: a line of
 * content may begin with the same characters.
 */
const endOfDelimiter = (form: Buffer, index: number): Omit<Delimiter, "start"> | undefined => {
  const isLast = form[index] === DASH && form[index + 1] === DASH
  let end = isLast ? index + 2 : index
  while (form[end] === SPACE || form[end] === TAB) end += 1
  if (end === form.length && isLast) return { end, isLast }
  if (form[end] === CR && form[end + 1] === LF) return { end: end + 2, isLast }
  return form[end] === LF ? { end: end + 1, isLast } : undefined
}

/** The first delimiter from `from` that `needle` begins. The needle starts with the end of the line before it. */
const findDelimiter = (form: Buffer, needle: Buffer, from: number): Delimiter | undefined => {
  for (let start = form.indexOf(needle, from); start !== -1; start = form.indexOf(needle, start + 1)) {
    const found = endOfDelimiter(form, start + needle.length)
    if (found !== undefined) return { start, ...found }
  }
  return undefined
}

/** The first delimiter of a form, which may follow a preamble. */
const firstDelimiter = (form: Buffer, boundary: string): Delimiter | undefined => {
  const needle = Buffer.from(`--${boundary}`, "latin1")
  const atStart = form.subarray(0, needle.length).equals(needle) ? endOfDelimiter(form, needle.length) : undefined
  return atStart === undefined
    ? findDelimiter(form, Buffer.concat([Buffer.of(LF), needle]), 0)
    : { start: 0, ...atStart }
}

interface PartHeaders {
  readonly headers: ReadonlyMap<string, string>
  /** Where the content begins. */
  readonly end: number
}

/** The headers of the part that begins at `start`, or what is wrong with them. Lines may be folded. */
const headersAt = (form: Buffer, start: number): PartHeaders | string => {
  const headers = new Map<string, string>()
  const block = form.subarray(start, start + MAX_PART_HEADER_BYTES)
  let name = ""
  for (let index = 0;;) {
    const lineEnd = block.indexOf(LF, index)
    if (lineEnd === -1) return block.length === MAX_PART_HEADER_BYTES ? LONG_HEADERS : NO_END
    const line = block.toString("utf8", index, block[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd)
    index = lineEnd + 1
    if (line === "") return { headers, end: start + index }
    const colon = line.indexOf(":")
    if (/^[ \t]/u.test(line) && headers.has(name)) {
      headers.set(name, `${headers.get(name) ?? ""}${line}`)
    } else {
      name = line.slice(0, Math.max(0, colon)).trimEnd().toLowerCase()
      // Two of these could be read differently by a proxy.
      if (name === "" || (headers.has(name) && name.startsWith("content-"))) return BAD_HEADERS
      headers.set(name, line.slice(colon + 1).trim())
    }
  }
}

const mediaTypeOf = (contentType: string): string | undefined => {
  const [type = ""] = contentType.split(";", 1)
  return type.trim() === "" ? undefined : type.trim().toLowerCase()
}

/** The part with these headers and this content, or what is wrong with it. */
const partOf = ({ headers }: PartHeaders, content: Buffer): Part | string => {
  const disposition = parseHeaderValue(headers.get("content-disposition") ?? "")
  const name = disposition?.params.get("name")
  if (disposition === undefined || disposition.value !== "form-data" || name === undefined) return NO_NAME
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary"
  if (!["7bit", "8bit", "base64", "binary"].includes(encoding)) return ENCODED
  return {
    name,
    filename: disposition.params.get("filename") ?? disposition.params.get("filename*"),
    mediaType: mediaTypeOf(headers.get("content-type") ?? ""),
    content: encoding === "base64" ? Buffer.from(content.toString("latin1"), "base64") : content
  }
}

/**
 * The parts of a multipart form (RFC 7578), as real clients write it. The lines of a form end with CRLF, or all with LF. A
 * delimiter is a whole line, so the boundary may occur in content. Text before the first and after the last delimiter is
 * ignored. Nothing else is: a part that cannot be read is a fault of the form, because a condition that is ignored would
 * accept a wrong slip (docs/decisions/0033-callers-habits.md, "The parser of forms").
 */
export const readParts = (bytes: Uint8Array, contentType: string): Parts => {
  const boundary = parseHeaderValue(contentType)?.params.get("boundary") ?? ""
  if (boundary === "" || boundary.length > MAX_BOUNDARY_BYTES) return { fault: NO_BOUNDARY }
  const form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const first = firstDelimiter(form, boundary)
  if (first === undefined) return { fault: OTHER_BOUNDARY }
  const lineEnd = form[first.end - 2] === CR ? "\r\n" : "\n"
  const needle = Buffer.from(`${lineEnd}--${boundary}`, "latin1")
  const parts: Array<Part> = []
  for (let delimiter: Delimiter = first; !delimiter.isLast;) {
    if (parts.length === MAX_PARTS) return { fault: TOO_MANY_PARTS }
    const headers = headersAt(form, delimiter.end)
    if (typeof headers === "string") return { fault: headers }
    // The empty line before an empty content may be the end of the line before the delimiter, too.
    const next = findDelimiter(form, needle, headers.end - lineEnd.length)
    if (next === undefined) return { fault: NO_END }
    const part = partOf(headers, form.subarray(headers.end, Math.max(headers.end, next.start)))
    if (typeof part === "string") return { fault: part }
    parts.push(part)
    delimiter = next
  }
  return { parts }
}

/** Which limit the beginning of a multipart form exceeds; undefined when it is within them, or malformed. */
export const multipartFault = (start: Uint8Array, contentType: string): string | undefined => {
  const read = readParts(start, contentType)
  return "fault" in read && LIMITS.includes(read.fault) ? read.fault : undefined
}
