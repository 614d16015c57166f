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
