import { readTlv } from "../../domain/slip/tlv.ts"
import { readQr } from "../../domain/slip/qr-kind.ts"
import { fromBangkok, slipTime } from "../../domain/time.ts"
import { type Satang, satang } from "../../domain/money.ts"

/** A transfer between two TrueMoney wallets, as a vendor reports it. */
export interface WalletTransfer {
  readonly transactionId: string
  /** ISO 8601 with the offset +07:00. */
  readonly date: string
  readonly amount: Satang
  readonly senderName: string
  readonly receiver: { readonly name: string; readonly phone: string }
}

/**
 * The transfer of a TrueMoney slip whose transaction id is `99`, the amount in satang (8 digits), and 4 digits that
 * distinguish equal transfers. The vendors find no other wallet slip. Undefined for any other QR text.
 */
export const walletTransfer = (text: string): WalletTransfer | undefined => {
  const { crc, kind, transRef } = readQr(text)
  if (kind !== "truemoney" || crc !== "ok") return undefined
  const amount = Number(/^99(\d{8})\d{4}$/u.exec(transRef ?? "")?.[1] ?? 0)
  const noon = noonOf(text)
  if (transRef === null || amount === 0 || noon === undefined) return undefined
  return {
    transactionId: transRef,
    date: slipTime(noon),
    amount: satang(amount),
    senderName: "สมชาย ***",
    receiver: { name: "มานี ***", phone: "080-***-1234" }
  }
}

/** The slip's QR text holds only the day, DDMMYYYY. */
const noonOf = (text: string): number | undefined => {
  const day = readTlv(readTlv(text)?.[0]?.value ?? "")?.find(({ tag }) => tag === "04")?.value ?? ""
  const [, date, month, year] = /^(\d{2})(\d{2})(\d{4})$/u.exec(day) ?? []
  return fromBangkok(Number(year), Number(month), Number(date), 12, 0, 0)
}
