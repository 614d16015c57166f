/** One field of an EMV-style QR text: two digits of tag, two digits of length, the value. */
export interface TlvField {
  readonly tag: string
  readonly value: string
}

/** One field as text. Lengths count characters; a value is at most 99 of them. */
export const tlv = (tag: string, value: string): string => `${tag}${String(value.length).padStart(2, "0")}${value}`

/**
 * Splits a text into its fields; undefined when a length is not a number or exceeds the text. So a truncated or shifted
 * text is never read in part.
 */
export const readTlv = (text: string): ReadonlyArray<TlvField> | undefined => {
  const fields: Array<TlvField> = []
  let at = 0
  while (at < text.length) {
    const head = /^(\d{2})(\d{2})/u.exec(text.slice(at, at + 4))
    if (head === null) return undefined
    const end = at + 4 + Number(head[2])
    if (end > text.length) return undefined
    fields.push({ tag: head[1] ?? "", value: text.slice(at + 4, end) })
    at = end
  }
  return fields
}

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
