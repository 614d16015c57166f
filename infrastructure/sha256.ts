import { hash } from "node:crypto"

/**
 * SHA-256 of bytes, or of a text in UTF-8. By way of hexadecimal text: for so few bytes that takes a third of the time
 * in which the runtime makes a buffer.
 */
export const sha256 = (data: Uint8Array | string): Buffer => Buffer.from(hash("sha256", data, "hex"), "hex")
