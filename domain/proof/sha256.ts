/** SHA-256 of bytes, or of a text in UTF-8: 32 bytes. It comes in from outside, as runtimes have it built in. */
export type Sha256 = (data: Uint8Array | string) => Uint8Array

/** SHA-256 of the concatenation of a byte and two hashes. */
export const hashPair = (sha256: Sha256, prefix: number, left: Uint8Array, right: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(1 + left.length + right.length)
  bytes[0] = prefix
  bytes.set(left, 1)
  bytes.set(right, 1 + left.length)
  return sha256(bytes)
}

/** Hashes as they stand in JSON: lower-case hexadecimal digits. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Reads what `toHex` wrote. */
export const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from({ length: digits.length / 2 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16))
