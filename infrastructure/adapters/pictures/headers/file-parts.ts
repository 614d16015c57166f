/** The bytes of a part of a file, without a copy. Ends with the file when the part claims more. */
export const partOf = ({ buffer, byteLength, byteOffset }: DataView, from: number, to: number): Uint8Array =>
  new Uint8Array(buffer, byteOffset + from, Math.max(0, Math.min(to, byteLength) - from))

/** The name of a chunk as the number that its four bytes make, the first one highest. */
export const chunkName = (name: string): number => Buffer.from(name, "latin1").readUInt32BE()

/** One file of some parts. */
export const joinParts = (parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const file = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    file.set(part, at)
    at += part.length
  }
  return file
}
