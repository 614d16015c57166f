import { Arbitrary, Schema } from "effect"
import { crcText } from "../../../domain/slip/tlv.ts"
import { encodeSlipPayload } from "../../../domain/slip/payload.ts"

const LETTERS_AND_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

export const SendingBank = Schema.String.check(Schema.isPattern(/^[0-9]{3}$/u))

/** References of every length, and often of the lengths and forms that banks use. */
export const TransRef = Schema.Union([
  Schema.String.check(Schema.isPattern(/^[0-9A-Za-z]{1,25}$/u)),
  Schema.String.check(Schema.isPattern(/^[0-9A-Za-z]{25}$/u)),
  Schema.String.check(Schema.isPattern(/^01[0-9]{10}[A-Z]{3}[0-9]{5}$/u))
])

/** A body with its checksum appended. */
export const checked = (body: string): string => `${body}9104${crcText(`${body}9104`)}`

/** Canonical texts of slips. */
export const slipTexts = Arbitrary.map(
  Arbitrary.schema(Schema.Tuple([SendingBank, TransRef])),
  ([sendingBank, transRef]) => encodeSlipPayload(sendingBank, transRef)
)

/** Canonical texts whose checksum begins with a zero. */
export const zeroLedTexts = Arbitrary.map(
  Arbitrary.schema(Schema.Tuple([SendingBank, Schema.String.check(Schema.isPattern(/^[0-9A-Za-z]{1,22}$/u))])),
  ([sendingBank, start]) => {
    for (let n = 0;; n++) {
      const text = encodeSlipPayload(sendingBank, `${start}${n}`)
      if (text.at(-4) === "0") return text
    }
  }
)

/**
 * Every notation of a slip: its canonical text, and the texts with a checksum that lost some or all of its leading zeros,
 * after `9104` or after the length of what is left. The checksum may be in upper or lower case.
 */
export const spellings = (canonical: string): ReadonlyArray<string> => {
  const body = canonical.slice(0, -5)
  const checksum = canonical.slice(-4)
  const zeros = /^0{0,3}/u.exec(checksum)?.[0].length ?? 0
  const lost = Array.from({ length: zeros }, (_, at) => checksum.slice(at + 1))
  return [canonical, ...lost.flatMap((digits) => [`${body}4${digits}`, `${body}${digits.length}${digits}`])]
}

/** Whether a text is one of the spellings, with its checksum in upper or lower case. */
export const isSpelling = (text: string, canonical: string): boolean => {
  const start = canonical.length - 4
  return spellings(canonical).some((spelling) =>
    text.slice(0, start) === spelling.slice(0, start)
    && lowerAscii(text.slice(start)) === lowerAscii(spelling.slice(start))
  )
}

/** Lowers only ASCII letters: `toLowerCase` maps some letters of other alphabets to ASCII. */
const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase())

/** The characters that edits insert: ASCII, letters and digits that look alike, and characters with equal low bytes. */
const INSERTED = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...[...LETTERS_AND_DIGITS].map((character) => String.fromCharCode(0x100 + character.charCodeAt(0))),
  "٠",
  "๐",
  "０",
  "ｆ",
  "К",
  "\u00a0",
  "\u200b",
  "\ud83d",
  "😀"
]

/**
 * Every text that differs by one replaced, inserted or removed character, or by two swapped neighbours. The text itself
 * is included.
 */
export const edits = function* (text: string): Generator<string> {
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)]
    for (const inserted of INSERTED) {
      yield before + inserted + after
      if (at < text.length) yield before + inserted + after.slice(1)
    }
    if (at < text.length) yield before + after.slice(1)
    if (at + 1 < text.length) yield before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2)
  }
}
