// Runs in the body thread too: it loads no Effect.

const SCHEME = /^[a-z][a-z0-9+.-]*:/iu
/** A longer head is no media type. Without a limit, a long text with letters of Thai could exhaust the stack. */
const DATA_URI = /^data:[^,]{0,1000},/iu
/** No character matches two parts of the pattern. Otherwise a long run of white space would take quadratic time. */
const BASE64 = /^[A-Za-z0-9+/\-_\s]*(?:=\s*){0,2}$/u

/** Whether a text in the field `image` is a URL: it begins with a scheme other than `data`. */
export const isUrlText = (text: string): boolean => SCHEME.test(text) && !/^data:/iu.test(text)

/** The bytes of base64, or of a data URI of base64; undefined when there are none. */
export const inlineBytes = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  const head = DATA_URI.exec(text)?.[0]
  if (head !== undefined && !/;base64,$/iu.test(head)) return undefined
  const base64 = head === undefined ? text : text.slice(head.length)
  if (!BASE64.test(base64)) return undefined
  const bytes = Buffer.from(base64, "base64")
  return bytes.length === 0 ? undefined : bytes
}

/** A picture that was sent as text, after decoding. `bytes` is undefined when the text is not base64. */
export class InlinePicture {
  readonly bytes: Uint8Array | undefined

  constructor(bytes: Uint8Array | undefined) {
    this.bytes = bytes
  }
}
