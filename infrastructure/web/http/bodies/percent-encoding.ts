// Runs in the body thread too: it loads no Effect.

const PERCENT = 0x25
const NO_DIGIT = -1

/** The value of a hexadecimal digit in ASCII. */
const hexDigit = (byte = 0): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : NO_DIGIT
}

/** Bytes with each `%xx` as the byte that it stands for; a percent sign without two digits stays. */
export const percentDecoded = (encoded: Uint8Array): Uint8Array => {
  const decoded = new Uint8Array(encoded.length)
  let length = 0
  for (let index = 0; index < encoded.length; index++) {
    const byte = encoded[index] ?? 0
    const high = byte === PERCENT ? hexDigit(encoded[index + 1]) : NO_DIGIT
    const low = high === NO_DIGIT ? NO_DIGIT : hexDigit(encoded[index + 2])
    decoded[length++] = low === NO_DIGIT ? byte : high * 16 + low
    if (low !== NO_DIGIT) index += 2
  }
  return decoded.subarray(0, length)
}
