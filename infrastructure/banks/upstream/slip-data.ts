import { Option, Result, Schema } from "effect"
import type { SlipQuestion } from "../../../ports/bank-gateway.ts"
import { satang } from "../../../domain/money.ts"
import { Transfer } from "../../../domain/slip/transfer.ts"
import { fromBangkok, slipTime } from "../../../domain/time.ts"
import { amountOf, type Fields, fieldsOf, textOf } from "./fields.ts"
import { partyOf } from "./party.ts"

/**
 * Reads what SCB and KBank say of a slip, which they do in the same words (`transRef`, `transDate`, `sender` …).
 *
 * Tolerant in what makes no difference: fields that are null, empty or absent, amounts as text. Strict in what an
 * answer is worth: it must be about the slip that was asked for, with an amount and a time. Fails with what was wrong,
 * for a person, and quotes nothing of it.
 */
export const readSlipData = (value: unknown, question: SlipQuestion): Result.Result<Transfer, string> => {
  const data = fieldsOf(value)
  const isIt = textOf(data["transRef"]) === question.transRef && textOf(data["sendingBank"]) === question.sendingBank
  if (!isIt) return Result.fail("answered about another slip, or did not say which")
  const amount = Option.getOrUndefined(amountOf(data["amount"]))
  if (amount === undefined || amount <= 0) return Result.fail("found the slip, but with no amount that could be one")
  const time = timeOf(data)
  if (time === undefined) return Result.fail("found the slip, but with no time that could be one")
  const { sendingBank, transRef } = question
  const merchantId = textOf(data["toMerchantId"])
  return Result.mapError(
    decodeTransfer({
      transRef,
      sendingBank,
      transferredAt: slipTime(time),
      // A slip QR is Thai, or it would not have been asked about (payload grammar, tag 51).
      countryCode: textOf(data["countryCode"]) || "TH",
      amount,
      ...localOf(data),
      // Nothing depends on the fee: one that can't be read is none.
      fee: Option.getOrElse(Option.filter(amountOf(data["transFeeAmount"]), (fee) => fee >= 0), () => satang(0)),
      ref1: textOf(data["ref1"]),
      ref2: textOf(data["ref2"]),
      ref3: textOf(data["ref3"]),
      sender: partyOf(data["sender"], sendingBank),
      receiver: {
        ...partyOf(data["receiver"], textOf(data["receivingBank"])),
        merchantId: merchantId === "" ? null : merchantId
      }
    }),
    () => "found the slip, but said nothing that could be used"
  )
}

const decodeTransfer = Schema.decodeUnknownResult(Transfer)

/** What was paid in the currency of where it was paid, if both are told. */
const localOf = (data: Fields): Pick<Transfer, "local"> => {
  const amount = Option.getOrUndefined(amountOf(data["paidLocalAmount"]))
  const currency = textOf(data["paidLocalCurrency"])
  return amount === undefined || amount <= 0 || !/^\d{3}$/u.test(currency) ? {} : { local: { amount, currency } }
}

/** Of `transDate` (yyyyMMdd) and `transTime` (HH:mm:ss or HHmmss), in milliseconds since 1970. */
const timeOf = (data: Fields): number | undefined => {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/u.exec(textOf(data["transDate"])) ?? []
  const [, hour, , minute, second] = /^(\d{2})(:?)(\d{2})\2(\d{2})$/u.exec(textOf(data["transTime"])) ?? []
  return fromBangkok(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second))
}
