import { Option, Result } from "effect"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import { walletTransfer } from "../../../../domain/slip/wallet-transfer.ts"
import { parseTimeInBangkok, slipTime } from "../../../../domain/time.ts"
import type { WalletQuestion } from "../../../../ports/bank-gateway.ts"
import { amountOf, fieldsOf, textOf } from "./slip-data.ts"

/**
 * Reads a TrueMoney slip of a vendor (docs/banks.md, "TrueMoney"). Requires the transaction id of the picture's QR code, an
 * amount, as a number or as text, and a time with an offset. Fails with the reason, which quotes nothing of the data.
 */
export const readWalletData = (
  value: unknown,
  { transactionId }: WalletQuestion
): Result.Result<Transfer, string> => {
  const slip = fieldsOf(value)
  if (textOf(slip["transactionId"]) !== transactionId) {
    return Result.fail("answered about another slip or did not name the slip")
  }
  const amount = Option.getOrUndefined(amountOf(slip["amount"]))
  if (amount === undefined || amount <= 0) return Result.fail("found the slip, but without a valid amount")
  const time = parseTimeInBangkok(textOf(slip["date"]), "first")
  if (time === undefined || time.isBangkok) return Result.fail("found the slip, but without a valid time")
  const receiver = fieldsOf(slip["receiver"])
  return Result.succeed(walletTransfer({
    transactionId,
    transferredAt: slipTime(time.at),
    amount,
    senderName: textOf(fieldsOf(slip["sender"])["name"]),
    receiverName: textOf(receiver["name"]),
    receiverPhone: textOf(receiver["phone"])
  }))
}
