import { checksumReader, type PrintedChecksum } from "./qr-text.ts"
import { crc16, readTlv, tlv } from "./tlv.ts"

// Loaded by the threads that read pictures: imports nothing of Effect.

/** Stands for the sending bank of TrueMoney slips, in keys, events and transfers. No bank has this code. */
export const TRUEMONEY = "TRUEMONEY"

/** Precedes the transaction id in a reference, so that it never equals the reference of a bank. */
const REFERENCE_PREFIX = "TW"

/**
 * The content of the QR code on a TrueMoney slip. It has no amount, receiver or time, and a vendor accepts the picture
 * only. Source of the layout: docs/banks.md, "TrueMoney".
 */
export interface WalletPayload {
  /** 1 to 32 letters and digits; case matters. */
  readonly transactionId: string
  /** The kind of transfer, such as `P2P`. */
  readonly event: string
  /** The day of the transfer as `yyyy-MM-dd`; undefined when the text has none. */
  readonly day: string | undefined
}

/** The reference of a TrueMoney slip, in the place of a transRef. */
export const walletTransRef = (transactionId: string): string => REFERENCE_PREFIX + transactionId

/** Whether a text has the form of `walletTransRef`. A transaction id can have it too. */
export const isWalletTransRef = (text: string): boolean => text.startsWith(REFERENCE_PREFIX)

export const transactionIdOf = (transRef: string): string => transRef.slice(REFERENCE_PREFIX.length)

/** The four digits of the checksum: lower case, unlike all other QR codes of Thai payments. */
export const walletChecksum = (body: string): string => crc16(body).toString(16).padStart(4, "0")

/** The QR text of a slip. `day` is `yyyy-MM-dd`. */
export const encodeWalletPayload = (transactionId: string, event: string, day: string): string => {
  const [year = "", month = "", date = ""] = day.split("-")
  const body = tlv(
    "00",
    tlv("00", "01") + tlv("01", "01") + tlv("02", event) + tlv("03", transactionId) + tlv("04", date + month + year)
  ) + "9104"
  return body + walletChecksum(body)
}

const printedChecksums = checksumReader("0-9a-f")

const rightChecksum = ({ body }: PrintedChecksum): string => walletChecksum(`${body}9104`)

const isRight = (checksum: PrintedChecksum): boolean => checksum.digits.padStart(4, "0") === rightChecksum(checksum)

/** What a TrueMoney slip's text holds, and whether the checksum is right. */
export interface WalletFields {
  readonly fields: ReadonlyMap<string, string>
  readonly crc: "ok" | "repaired" | "wrong"
  /** The text in canonical form: a checksum of four digits, unless it is wrong. */
  readonly text: string
}

/** Reads the fields of a TrueMoney slip's text; undefined for any other text. */
export const walletFields = (text: string): WalletFields | undefined => {
  const checksums = printedChecksums(text)
  const checksum = checksums.find(isRight) ?? checksums.find(({ digits }) => digits.length === 4)
  const outer = readTlv(checksum?.body ?? "")
  const inner = readTlv(outer?.[0]?.value ?? "")
  if (checksum === undefined || outer?.length !== 1 || inner === undefined) return undefined
  const [provider, kind] = inner
  if (provider?.tag !== "00" || provider.value !== "01" || kind?.tag !== "01" || kind.value !== "01") return undefined
  const fields = new Map(inner.toReversed().map(({ tag, value }) => [tag, value]))
  if (!isRight(checksum)) return { fields, crc: "wrong", text }
  return {
    fields,
    crc: checksum.digits.length === 4 ? "ok" : "repaired",
    text: `${checksum.body}9104${rightChecksum(checksum)}`
  }
}

/** Reads the QR text of a TrueMoney slip; undefined when it is not one, or its checksum is wrong. */
export const parseWalletPayload = (text: string): WalletPayload | undefined => {
  const read = walletFields(text)
  const transactionId = read?.fields.get("03") ?? ""
  if (read === undefined || read.crc === "wrong" || !/^[0-9A-Za-z]{1,32}$/u.test(transactionId)) return undefined
  const [, date, month, year] = /^(\d{2})(\d{2})(\d{4})$/u.exec(read.fields.get("04") ?? "") ?? []
  return {
    transactionId,
    event: read.fields.get("02") ?? "",
    day: date === undefined ? undefined : `${year}-${month}-${date}`
  }
}
