const MAX_CODE_BITS = 12
const MAX_CODES = 1 << MAX_CODE_BITS

/**
 * The position after the block that holds the last pixel of a GIF frame, or its first invalid code, or after the last block
 * of a frame with fewer pixels; undefined when the file ends before. A code stands for up to 4096 pixels. Decoders look up
 * each of them also after the last pixel, so a frame could take a thousand times its bytes. `start` is the position of the
 * code size.
 */
export const endOfPixels = (view: DataView, start: number, pixels: number): number | undefined => {
  if (start >= view.byteLength) return undefined
  const count = pixelCounter(view.getUint8(start))
  let at = start + 1
  while (at < view.byteLength) {
    const length = view.getUint8(at)
    if (length === 0) return at
    const end = at + 1 + length
    if (end > view.byteLength) return undefined
    for (let byte = at + 1; byte < end; byte++) {
      const counted = count(view.getUint8(byte))
      if (counted === "ended" || counted >= pixels) return end
    }
    at = end
  }
  return undefined
}

/** Counts the pixels of compressed data without writing them. Returns those that the bytes so far stand for. */
const pixelCounter = (codeBits: number): (byte: number) => number | "ended" => {
  // Decoders refuse such a frame.
  if (codeBits === 0 || codeBits >= MAX_CODE_BITS) return () => "ended"
  const clear = 1 << codeBits
  const lengths = new Uint16Array(MAX_CODES)
  let size = codeBits + 1
  let next = clear + 2
  /** Pixels of the code before; 0 after a clear code. */
  let previous = 0
  let bits = 0
  let bitCount = 0
  let pixels = 0

  /** The pixels of a code; 0 for a code that the data did not define. */
  const lengthOf = (code: number): number => {
    if (code < clear) return 1
    if (previous === 0) return 0
    return code < next ? lengths[code] ?? 0 : code === next ? previous + 1 : 0
  }

  const define = (length: number): void => {
    if (previous > 0 && next < MAX_CODES) {
      lengths[next++] = length
      if (next === 1 << size && size < MAX_CODE_BITS) size++
    }
  }

  return (byte) => {
    bits |= byte << bitCount
    bitCount += 8
    while (bitCount >= size) {
      const code = bits & ((1 << size) - 1)
      bits >>>= size
      bitCount -= size
      if (code === clear) {
        size = codeBits + 1
        next = clear + 2
        previous = 0
        continue
      }
      const length = lengthOf(code)
      if (length === 0) return "ended"
      define(previous + 1)
      pixels += length
      previous = length
    }
    return pixels
  }
}
