// Not from "effect": the threads that read pictures load this file, and all of Effect needs 50 MB in each thread.
import * as Result from "effect/Result"
import { checksumReader, type PrintedChecksum } from "./qr-text.ts"
import { crcText, readTlv, tlv } from "./tlv.ts"

/**
 * The content of a slip's mini-QR: the sending bank and its reference of the transfer. The QR has no amount, receiver
 * or time. An edited picture keeps a valid QR, so only the bank's answer counts.
 */
export interface SlipPayload {
  /** The text in canonical form: upper-case CRC of four digits. */
  readonly text: string
  /** Three digits. The parser does not check that the bank exists. */
  readonly sendingBank: string
  /** 1 to 25 letters and digits; case matters. */
  readonly transRef: string
  /** `repaired` when the printed CRC had lost leading zeros. */
  readonly crc: "ok" | "repaired"
}

/** Why a text is not a slip payload. */
export type PayloadFault = "too-long" | "broken-tlv" | "wrong-crc" | "not-a-slip"

/** Longest text that is parsed, in characters. */
export const MAX_PAYLOAD_LENGTH = 128

const API_ID = "000001"
const COUNTRY = "TH"
const CRC_TAG = "91"

const bodyOf = (sendingBank: string, transRef: string): string =>
  tlv("00", tlv("00", API_ID) + tlv("01", sendingBank) + tlv("02", transRef)) + tlv("51", COUNTRY) + `${CRC_TAG}04`

/** The canonical QR text of a slip. */
export const encodeSlipPayload = (sendingBank: string, transRef: string): string => {
  const body = bodyOf(sendingBank, transRef)
  return body + crcText(body)
}

const printedChecksums = checksumReader("0-9a-fA-F")

/** The checksum covers the text including `9104`, whatever length is printed. */
const covered = (body: string): string => `${body}${CRC_TAG}04`

const isRight = ({ body, digits }: PrintedChecksum): boolean =>
  digits.toUpperCase().padStart(4, "0") === crcText(covered(body))

/**
 * Reads the QR text of a bank slip. Strict: tags 00, 51 and 91 in this order and nothing else, country TH, API id
 * 000001, a three-digit bank, a reference of 1 to 25 letters and digits, and the right checksum. The checksum may lack
 * leading zeros. `trimQrText` removes white space around the text before.
 */
export const parseSlipPayload = (text: string): Result.Result<SlipPayload, PayloadFault> => {
  if (text.length > MAX_PAYLOAD_LENGTH) return Result.fail("too-long")
  const checksums = printedChecksums(text)
  const checksum = checksums.find(isRight) ?? checksums[0]
  if (checksum === undefined) return Result.fail(readTlv(text) === undefined ? "broken-tlv" : "not-a-slip")

  const fields = readTlv(checksum.body)
  if (fields === undefined) return Result.fail("broken-tlv")
  const [slip, country] = fields
  if (fields.length !== 2 || slip?.tag !== "00" || country?.tag !== "51") return Result.fail("not-a-slip")
  if (country.value !== COUNTRY) return Result.fail("not-a-slip")

  const inner = readTlv(slip.value)
  if (inner === undefined) return Result.fail("broken-tlv")
  const [api, bank, ref] = inner
  if (inner.length !== 3 || api?.tag !== "00" || bank?.tag !== "01" || ref?.tag !== "02") {
    return Result.fail("not-a-slip")
  }
  if (api.value !== API_ID || !/^\d{3}$/u.test(bank.value)) return Result.fail("not-a-slip")
  if (!/^[0-9A-Za-z]{1,25}$/u.test(ref.value)) return Result.fail("not-a-slip")

  if (!isRight(checksum)) return Result.fail("wrong-crc")
  const whole = covered(checksum.body)
  return Result.succeed({
    text: whole + crcText(whole),
    sendingBank: bank.value,
    transRef: ref.value,
    crc: checksum.digits.length === 4 ? "ok" : "repaired"
  })
}
