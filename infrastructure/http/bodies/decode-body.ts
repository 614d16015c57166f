import type { Fields } from "../../input/decode.ts"
import { jsonFault, type JsonLimits, multipartFault, urlencodedFault } from "./body-shape.ts"
import { contentDigest } from "./content-digest.ts"
import { normalizeSlip } from "./normalize-slip.ts"

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

const decodeJson = ({ bytes, limits }: BodyTask): Fields | string => {
  const fault = jsonFault(bytes, limits)
  if (fault !== undefined) return fault
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

const decodeForm = async (task: BodyTask): Promise<Fields | string> => {
  const isMultipart = task.mediaType === MULTIPART
  const fault = isMultipart ? multipartFault(task.bytes) : urlencodedFault(task.bytes)
  if (fault !== undefined) return fault
  return await formFields(task)
    ?? (isMultipart
      ? "The body is not valid multipart/form-data. Check the boundary, and send each field once."
      : "The body is not a valid form. Send each field once.")
}

/** Decodes a body within its limits. Never rejects. */
export const decodeBody = async (task: BodyTask): Promise<DecodedBody> => {
  const isForm = !isJsonType(task.mediaType)
  const fields = isForm ? await decodeForm(task) : decodeJson(task)
  if (typeof fields === "string") return { fault: fields }
  return { isForm, fields, digest: digestOf(task, { isForm, fields }) }
}

const digestOf = (
  { digestRoute, isSlip }: BodyTask,
  received: { readonly isForm: boolean; readonly fields: Fields }
): string | undefined =>
  digestRoute === undefined ? undefined : contentDigest(digestRoute, isSlip ? normalizeSlip(received) : received.fields)
