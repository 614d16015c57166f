import { Result } from "effect"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import { walletTransfer } from "../../../../domain/slip/wallet-transfer.ts"
import type { WalletQuestion } from "../../../../ports/bank-gateway.ts"
import { checkSlip, fieldsOf, textOf, zonedTime } from "./slip-data.ts"

/**
 * Reads a TrueMoney slip of a vendor (docs/banks.md, "TrueMoney"). Requires the transaction id of the picture's QR code, an
 * amount, as a number or as text, and a time with an offset. Fails with the reason, which quotes nothing of the data.
 */
export const readWalletData = (
  value: unknown,
  { transactionId }: WalletQuestion
): Result.Result<Transfer, string> => {
  const { amount, date, receiver, sender, transactionId: found } = fieldsOf(value)
  const { name, phone } = fieldsOf(receiver)
  return Result.map(
    checkSlip({ isAbout: textOf(found) === transactionId, amount, at: zonedTime(date) }),
    (checked) =>
      walletTransfer({
        transactionId,
        ...checked,
        senderName: textOf(fieldsOf(sender)["name"]),
        receiverName: textOf(name),
        receiverPhone: textOf(phone)
      })
  )
}
