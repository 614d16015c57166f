import { type Satang, satang } from "../money.ts"
import type { SlipBank, Transfer } from "./transfer.ts"
import { TRUEMONEY, walletTransRef } from "./wallet-payload.ts"

/** The wallet in the place of a party's bank. */
const WALLET: typeof SlipBank.Type = { id: TRUEMONEY, name: "ทรูมันนี่ วอลเล็ท", short: TRUEMONEY }

/** What a vendor says of a transfer between wallets. */
export interface WalletFacts {
  readonly transactionId: string
  /** ISO 8601 with the offset +07:00. */
  readonly transferredAt: string
  readonly amount: Satang
  readonly senderName: string
  readonly receiverName: string
  /** Masked, such as `098-***-4321`; empty when unknown. */
  readonly receiverPhone: string
}

const nameOf = (text: string) => text === "" ? {} : /\p{Script=Thai}/u.test(text) ? { th: text } : { en: text }

/** A transfer between wallets. A wallet has no account number: a phone number stands for it. */
export const walletTransfer = (facts: WalletFacts): Transfer => {
  const { amount, receiverName, receiverPhone, senderName, transactionId, transferredAt } = facts
  const phone = receiverPhone === "" ? {} : { proxy: { type: "MSISDN", account: receiverPhone } }
  return {
    transRef: walletTransRef(transactionId),
    sendingBank: TRUEMONEY,
    transferredAt,
    countryCode: "TH",
    amount,
    fee: satang(0),
    ref1: "",
    ref2: "",
    ref3: "",
    sender: { bank: WALLET, account: { name: nameOf(senderName) } },
    receiver: { bank: WALLET, account: { name: nameOf(receiverName), ...phone }, merchantId: null }
  }
}
