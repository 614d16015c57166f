import { slipTime } from "../../../../domain/time.ts"
import { transactionIdOf, TRUEMONEY } from "../../../../domain/slip/wallet-payload.ts"
import { walletTransfer } from "../../../../domain/slip/wallet-transfer.ts"
import { satang } from "../../../../domain/money.ts"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import { sha256 } from "../../../platform/sha256.ts"
import { slipBank } from "../upstream/slip-data.ts"
import { maskAccount, receiverAt, WALLET_RECEIVER } from "./receivers.ts"
import type { SandboxRef } from "./sandbox-slip.ts"

/**
 * The transfer of a sandbox transRef, the same in every process. The transRef contains amount, time and receiver. The
 * sender and the references are derived from a hash of the sending bank and the transRef.
 */
export const sandboxTransfer = (ref: SandboxRef, sendingBank: string, transRef: string): Transfer => {
  const hash = sha256(`${sendingBank}:${transRef}`)
  const sender = senders[hash.readUInt8(0) % senders.length] ?? senders[0]
  if (sendingBank === TRUEMONEY) return sandboxWalletTransfer(ref, transactionIdOf(transRef), sender.th)
  const receiver = receiverAt(ref.receiver).onSlip
  const isBill = receiver.merchantId !== null
  return {
    transRef,
    sendingBank,
    transferredAt: slipTime(ref.seconds * 1000),
    countryCode: "TH",
    amount: ref.amount,
    local: { amount: ref.amount, currency: "764" },
    fee: satang(0),
    ref1: isBill ? digitsOf(hash.readUInt32BE(1)) : "",
    ref2: isBill ? digitsOf(hash.readUInt32BE(5)) : "",
    ref3: "",
    sender: {
      bank: slipBank(sendingBank),
      account: {
        name: sender,
        bank: { type: "BANKAC", account: maskAccount(sendingBank, digitsOf(hash.readUInt32BE(9))) }
      }
    },
    receiver
  }
}

/** All wallet slips are to one phone number. */
const sandboxWalletTransfer = (ref: SandboxRef, transactionId: string, senderName: string): Transfer =>
  walletTransfer({
    transactionId,
    transferredAt: slipTime(ref.seconds * 1000),
    amount: ref.amount,
    senderName,
    receiverName: WALLET_RECEIVER.name,
    receiverPhone: WALLET_RECEIVER.phone
  })

/** Ten digits, the length of an account number. */
const digitsOf = (number: number): string => String(number).padStart(10, "0")

/** Invented people. The family name is cut to one letter, as most banks do. */
const senders = [
  { th: "นาย สมชาย ท", en: "MR. SOMCHAI T" },
  { th: "น.ส. สมหญิง ต", en: "MISS SOMYING T" },
  { th: "นาง มานี จ", en: "MRS. MANEE J" },
  { th: "นาย ปิติ ส", en: "MR. PITI S" },
  { th: "น.ส. ชูใจ ท", en: "MISS CHUJAI T" },
  { th: "นาย วีระ ต", en: "MR. WEERA T" },
  { th: "นาง ดวงแก้ว จ", en: "MRS. DUANGKAEW J" },
  { th: "นาย เพชร ส", en: "MR. PHET S" }
] as const
