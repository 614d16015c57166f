import { Option, Result } from "effect"
import { type Satang, satang } from "../../../../domain/money.ts"
import type { Receiver, Transfer } from "../../../../domain/slip/transfer.ts"
import { parseTimeInBangkok, slipTime } from "../../../../domain/time.ts"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import { amountOf, decodeTransfer, type Fields, fieldsOf, namesOf, slipBank, textOf } from "../upstream/slip-data.ts"

/**
 * Reads the slip of EasySlip and Thunder (`rawSlip` of version 2, `data` of version 1; docs/banks.md, "EasySlip and Thunder").
 *
 * Accepts null, empty and absent fields, and parties in the words of KBank, which Thunder was seen to send. Requires the
 * slip that was asked about, an amount and a time with an offset. Fails with the reason, which quotes nothing of the data.
 */
export const readEasySlipData = (value: unknown, question: SlipQuestion): Result.Result<Transfer, string> => {
  const slip = fieldsOf(value)
  const { sendingBank, transRef } = question
  const senderBank = bankOf(slip["sender"])
  if (textOf(slip["transRef"]) !== transRef || (senderBank !== "" && senderBank !== sendingBank)) {
    return Result.fail("answered about another slip or did not name the slip")
  }
  const paid = fieldsOf(slip["amount"])
  const amount = Option.getOrUndefined(amountOf(paid["amount"]))
  if (amount === undefined || amount <= 0) return Result.fail("found the slip, but without a valid amount")
  const time = parseTimeInBangkok(textOf(slip["date"]), "first")
  if (time === undefined || time.isBangkok) return Result.fail("found the slip, but without a valid time")
  const merchantId = textOf(fieldsOf(slip["receiver"])["merchantId"])
  return decodeTransfer({
    transRef,
    sendingBank,
    transferredAt: slipTime(time.at),
    countryCode: textOf(slip["countryCode"]) || "TH",
    amount,
    ...localOf(fieldsOf(paid["local"])),
    // Nothing depends on the fee: an invalid fee counts as none.
    fee: Option.getOrElse(Option.filter(amountOf(slip["fee"]), (fee) => fee >= 0), (): Satang => satang(0)),
    ref1: textOf(slip["ref1"]),
    ref2: textOf(slip["ref2"]),
    ref3: textOf(slip["ref3"]),
    sender: partyOf(slip["sender"], sendingBank),
    receiver: {
      ...partyOf(slip["receiver"], bankOf(slip["receiver"])),
      merchantId: merchantId === "" ? null : merchantId
    }
  })
}

const bankOf = (party: unknown): string => textOf(fieldsOf(fieldsOf(party)["bank"])["id"])

/** Some banks state no local amount: then it is 0, and the currency is empty. */
const localOf = (local: Fields): Pick<Transfer, "local"> => {
  const amount = Option.getOrUndefined(amountOf(local["amount"]))
  const currency = textOf(local["currency"])
  return amount === undefined || amount <= 0 || !/^\d{3}$/u.test(currency) ? {} : { local: { amount, currency } }
}

type Party = Omit<Receiver, "merchantId">

/** `account.{name,bank,proxy}`, or in KBank's words `displayName`, `name`, `account` and `proxy`. */
const partyOf = (value: unknown, bankCode: string): Party => {
  const party = fieldsOf(value)
  const account = fieldsOf(party["account"])
  const name = fieldsOf(account["name"])
  const number = numberOf(account["bank"]) ?? numberOf(account)
  const proxy = numberOf(account["proxy"]) ?? numberOf(party["proxy"])
  return {
    bank: slipBank(bankCode),
    account: {
      name: namesOf([name["th"], name["en"], party["displayName"], party["name"]].map(textOf)),
      ...(number === undefined ? {} : { bank: number }),
      ...(proxy === undefined ? {} : { proxy })
    }
  }
}

/** A partly masked number. An absent one is null, "" or not there. */
const numberOf = (value: unknown): Party["account"]["proxy"] => {
  const number = fieldsOf(value)
  const account = textOf(number["account"]) || textOf(number["value"])
  return account === "" ? undefined : { type: textOf(number["type"]), account }
}
