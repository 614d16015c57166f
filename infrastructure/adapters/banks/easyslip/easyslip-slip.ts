import type { Result } from "effect"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import {
  bankIn,
  fieldsOf,
  isAboutSlip,
  type MaskedNumber,
  partyOf,
  readTransfer,
  textOf,
  zonedTime
} from "../upstream/slip-data.ts"

/**
 * Reads the slip of EasySlip and Thunder (`rawSlip` of version 2, `data` of version 1; docs/banks.md, "EasySlip and Thunder").
 *
 * Accepts null, empty and absent fields, and parties in the words of KBank, which Thunder was seen to send. Requires the
 * slip that was asked about, an amount and a time with an offset. Fails with the reason, which quotes nothing of the data.
 */
export const readEasySlipData = (value: unknown, question: SlipQuestion): Result.Result<Transfer, string> => {
  const slip = fieldsOf(value)
  const paid = fieldsOf(slip["amount"])
  return readTransfer(question, {
    isAbout: isAboutSlip(slip, question),
    amount: paid["amount"],
    at: zonedTime(slip["date"]),
    countryCode: slip["countryCode"],
    local: fieldsOf(paid["local"]),
    fee: slip["fee"],
    references: slip,
    sender: partyIn(slip["sender"], question.sendingBank),
    receiver: partyIn(slip["receiver"], bankIn(slip["receiver"])),
    merchantId: fieldsOf(slip["receiver"])["merchantId"]
  })
}

/** `account.{name,bank,proxy}`, or in KBank's words `displayName`, `name`, `account` and `proxy`. */
const partyIn = (value: unknown, bankCode: string) => {
  const { account, displayName, name, proxy } = fieldsOf(value)
  const { bank, name: names, proxy: ofAccount } = fieldsOf(account)
  const { en, th } = fieldsOf(names)
  return partyOf(bankCode, [th, en, displayName, name], numberIn(bank, account), numberIn(ofAccount, proxy))
}

/** The number of the first value that has one. */
const numberIn = (...values: ReadonlyArray<unknown>): MaskedNumber => {
  const numbers = values.map(fieldsOf).map(({ account, type, value }) => ({ type, account: textOf(account) || value }))
  return numbers.find(({ account }) => textOf(account) !== "") ?? { type: undefined, account: undefined }
}
