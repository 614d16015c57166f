import { hash, timingSafeEqual } from "node:crypto"

/**
 * SHA-256 of bytes, or of a text in UTF-8. Hot path: the runtime returns a text here, one character for each byte, because
 * for so few bytes a buffer takes three times as long. Guarded by `npm run bench -- http`.
 */
export const sha256 = (data: Uint8Array | string): Buffer => Buffer.from(hash("sha256", data, "binary"), "latin1")

/** Compares in constant time. */
export const isEqual = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))
