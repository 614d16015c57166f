import { Result } from "effect"
import { crcText, readTlv } from "./tlv.ts"
import { parseSlipPayload } from "./payload.ts"
import { walletFields } from "./wallet-payload.ts"

/** The kind and the content of a QR text, without asking a bank (docs/spec/http.md, "Offline look at a payload"). */
export interface QrReading {
  readonly kind: "slip" | "promptpay" | "truemoney" | "other"
  /** Canonical text for a slip, otherwise the text as it was read. */
  readonly payload: string
  readonly sendingBank: string | null
  readonly transRef: string | null
  /** `wrong`: the checksum does not match, or there is none. */
  readonly crc: "ok" | "repaired" | "wrong"
}

/** Merchant account templates of EMV QR codes that belong to PromptPay: credit transfer and bill payment. */
const PROMPTPAY_AIDS = ["A000000677010111", "A000000677010112", "A000000677010113", "A000000677010114"]

const emvChecksum = (text: string): "ok" | "wrong" => {
  const match = /^(.*6304)([0-9A-Fa-f]{4})$/u.exec(text)
  return match !== null && crcText(match[1] ?? "") === (match[2] ?? "").toUpperCase() ? "ok" : "wrong"
}

const isPromptPay = (text: string): boolean =>
  (readTlv(text) ?? []).some(({ tag, value }) =>
    (tag === "29" || tag === "30") && PROMPTPAY_AIDS.includes(readTlv(value)?.[0]?.value ?? "")
  )

/** A TrueMoney slip: event type, transaction id, day. Its checksum must be lower-case. */
const readTrueMoney = (text: string): QrReading | undefined => {
  const read = walletFields(text)
  if (read === undefined) return undefined
  return {
    kind: "truemoney",
    payload: read.text,
    sendingBank: null,
    transRef: read.fields.get("03") ?? null,
    crc: read.crc
  }
}

/** Classifies a QR text. Never fails: an unknown text is `other`. */
export const readQr = (text: string): QrReading => {
  const parsed = parseSlipPayload(text)
  if (Result.isSuccess(parsed)) {
    const { crc, sendingBank, text: payload, transRef } = parsed.success
    return { kind: "slip", payload, sendingBank, transRef, crc }
  }
  const unread = { payload: text, sendingBank: null, transRef: null }
  if (parsed.failure === "wrong-crc") return { kind: "slip", ...unread, crc: "wrong" }
  if (isPromptPay(text)) return { kind: "promptpay", ...unread, crc: emvChecksum(text) }
  return readTrueMoney(text) ?? { kind: "other", ...unread, crc: emvChecksum(text) }
}
