import { Option, Result } from "effect"
import { satang } from "../../../../domain/money.ts"
import type { Receiver, Transfer } from "../../../../domain/slip/transfer.ts"
import { parseTimeInBangkok, slipTime } from "../../../../domain/time.ts"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import { amountOf, decodeTransfer, type Fields, fieldsOf, namesOf, slipBank, textOf } from "../upstream/slip-data.ts"

/**
 * Reads the slip data of Slip2Go (docs/banks.md, "Slip2Go"). It has no fee, no local amount, no country, one name for
 * each party, and account numbers without a type.
 *
 * Requires the slip that was asked about, an amount and a time with an offset. Fails with the reason, which quotes
 * nothing of the data.
 */
export const readSlip2goData = (value: unknown, question: SlipQuestion): Result.Result<Transfer, string> => {
  const data = fieldsOf(value)
  const { sendingBank, transRef } = question
  const sender = fieldsOf(data["sender"])
  const senderBank = textOf(fieldsOf(sender["bank"])["id"])
  if (textOf(data["transRef"]) !== transRef || (senderBank !== "" && senderBank !== sendingBank)) {
    return Result.fail("answered about another slip or did not name the slip")
  }
  const amount = Option.getOrUndefined(amountOf(data["amount"]))
  if (amount === undefined || amount <= 0) return Result.fail("found the slip, but without a valid amount")
  const time = parseTimeInBangkok(textOf(data["dateTime"]), "first")
  if (time === undefined || time.isBangkok) return Result.fail("found the slip, but without a valid time")
  const receiver = fieldsOf(data["receiver"])
  return decodeTransfer({
    transRef,
    sendingBank,
    transferredAt: slipTime(time.at),
    countryCode: "TH",
    amount,
    fee: satang(0),
    ref1: textOf(data["ref1"]),
    ref2: textOf(data["ref2"]),
    ref3: textOf(data["ref3"]),
    sender: partyOf(sender, sendingBank),
    receiver: { ...partyOf(receiver, textOf(fieldsOf(receiver["bank"])["id"])), merchantId: null }
  })
}

type Party = Omit<Receiver, "merchantId">

const partyOf = (party: Fields, bankCode: string): Party => {
  const account = fieldsOf(party["account"])
  const number = textOf(fieldsOf(account["bank"])["account"])
  const proxy = fieldsOf(account["proxy"])
  const proxyNumber = textOf(proxy["account"])
  return {
    bank: slipBank(bankCode),
    account: {
      name: namesOf([textOf(account["name"])]),
      ...(number === "" ? {} : { bank: { type: "BANKAC", account: number } }),
      ...(proxyNumber === "" ? {} : { proxy: { type: proxyTypeOf(textOf(proxy["type"])), account: proxyNumber } })
    }
  }
}

/** Slip2Go misspells the type of an e-wallet. */
const proxyTypeOf = (type: string): string => type === "EWALLTID" ? "EWALLETID" : type
