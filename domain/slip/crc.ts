/**
 * CRC-16/CCITT-FALSE (IBM-3740) over ASCII characters, as EMV QR codes use it: polynomial 0x1021, start 0xFFFF,
 * no reflection, no final xor. `crc16("123456789")` is 0x29B1.
 */
export const crc16 = (text: string): number => {
  let crc = 0xffff
  for (let at = 0; at < text.length; at++) {
    crc ^= (text.charCodeAt(at) & 0xff) << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? (crc << 1) & 0xffff : ((crc << 1) ^ 0x1021) & 0xffff
  }
  return crc
}

/** The CRC as it is printed: four upper-case hexadecimal digits. */
export const crcText = (text: string): string => crc16(text).toString(16).toUpperCase().padStart(4, "0")
