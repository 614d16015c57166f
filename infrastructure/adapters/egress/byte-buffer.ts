/** Bytes that arrive in pieces. The pieces are copied, so that many small ones take no more memory than a large one. */
export interface ByteBuffer {
  readonly append: (bytes: Uint8Array) => void
  readonly size: () => number
  /** A copy of the first bytes. */
  readonly first: (count: number) => Uint8Array
  readonly clear: () => void
}

const FIRST_CAPACITY = 1_024

export const makeByteBuffer = (): ByteBuffer => {
  let buffer = new Uint8Array(0)
  let size = 0
  return {
    append: (bytes) => {
      const needed = size + bytes.byteLength
      if (needed > buffer.byteLength) {
        const larger = new Uint8Array(Math.max(needed, 2 * buffer.byteLength, FIRST_CAPACITY))
        larger.set(buffer.subarray(0, size))
        buffer = larger
      }
      buffer.set(bytes, size)
      size = needed
    },
    size: () => size,
    first: (count) => buffer.slice(0, Math.min(size, count)),
    clear: () => {
      size = 0
    }
  }
}
