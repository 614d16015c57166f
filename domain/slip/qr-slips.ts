// Not from "effect": the threads that read pictures load this file.
import * as Result from "effect/Result"
import { parseSlipPayload, type SlipPayload } from "./payload.ts"
import { parseWalletPayload, type WalletPayload } from "./wallet-payload.ts"

/** The slip of a QR text. */
export type QrSlip = BankQrSlip | WalletQrSlip

export interface BankQrSlip extends SlipPayload {
  readonly kind: "bank"
}

export interface WalletQrSlip extends WalletPayload {
  readonly kind: "truemoney"
  /** The text as it was read. */
  readonly text: string
}

/** The slip of a QR text; undefined when the text is not that of a slip. */
export const qrSlipOf = (text: string): QrSlip | undefined => {
  const bank = parseSlipPayload(text)
  if (Result.isSuccess(bank)) return { kind: "bank", ...bank.success }
  const wallet = parseWalletPayload(text)
  return wallet === undefined ? undefined : { kind: "truemoney", text, ...wallet }
}

/** The different slips of QR texts, in the order of the texts. Texts that lead to the same transfer are one slip. */
export const qrSlipsOf = (texts: ReadonlyArray<string>): ReadonlyArray<QrSlip> => {
  const slips = new Map<string, QrSlip>()
  for (const slip of texts.map(qrSlipOf)) {
    if (slip !== undefined && !slips.has(keyOf(slip))) slips.set(keyOf(slip), slip)
  }
  return [...slips.values()]
}

/** The same for two texts of one transfer, such as a text whose checksum lost a zero and the whole text. */
const keyOf = (slip: QrSlip): string =>
  slip.kind === "bank" ? `${slip.sendingBank}:${slip.transRef}` : `${slip.kind}:${slip.transactionId}`
