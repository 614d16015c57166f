import { randomUUID } from "node:crypto"
import type { SlipPicture } from "../../../../ports/bank-gateway.ts"

const extensions = { jpeg: "jpg", png: "png", gif: "gif", webp: "webp" } as const

/** A form with one picture and texts. Names and texts are ASCII of this program: they are not escaped. */
export const multipartForm = (
  name: string,
  { bytes, format }: SlipPicture,
  texts: Readonly<Record<string, string>> = {}
): { readonly contentType: string; readonly body: Uint8Array } => {
  const boundary = `----${randomUUID()}`
  const part = (disposition: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${content}`
  const head = [
    ...Object.entries(texts).map(([field, text]) => part(`name="${field}"`, `\r\n${text}\r\n`)),
    part(`name="${name}"; filename="slip.${extensions[format]}"`, `Content-Type: image/${format}\r\n\r\n`)
  ].join("")
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  }
}
