import { toBaht } from "../domain/money.ts"
import type { Transfer } from "../domain/slip/transfer.ts"
import type { Verification } from "./commands/judge-slip.ts"

type Party = Transfer["sender"]

const NO_NUMBER = { type: "", account: "" }

const party = ({ account: { bank: number, name, proxy }, bank }: Party) => ({
  bank: { id: bank.id, name: bank.name, short: bank.short },
  account: {
    name: { th: name.th ?? name.en ?? "", ...(name.en === undefined ? {} : { en: name.en }) },
    bank: number ?? NO_NUMBER,
    ...(proxy === undefined ? {} : { proxy })
  }
})

/** Baht, ISO numeric code of the currency. */
const BAHT = "764"

/** The content of a slip on the wire, in v1 and v2 (specification, "rawSlip"): money in baht, every field present. */
export const rawSlip = (payload: string, transfer: Transfer) => {
  const amount = toBaht(transfer.amount)
  const { local } = transfer
  return {
    payload,
    transRef: transfer.transRef,
    date: transfer.transferredAt,
    countryCode: transfer.countryCode,
    amount: {
      amount,
      local: local === undefined
        ? { amount, currency: BAHT }
        : { amount: local.amount / 100, currency: local.currency }
    },
    fee: toBaht(transfer.fee),
    ref1: transfer.ref1,
    ref2: transfer.ref2,
    ref3: transfer.ref3,
    sender: party(transfer.sender),
    receiver: { ...party(transfer.receiver), merchantId: transfer.receiver.merchantId }
  }
}

/** The verdict on the wire (specification, VerifyBankData; contract, "`data`"). */
export const verifyBankData = (verification: Verification) => {
  const { duplicate, expectedAmount, isAmountMatched, remark, slip, transfer, verificationId } = verification
  return {
    ...(remark === undefined ? {} : { remark }),
    isDuplicate: duplicate !== null,
    amountInSlip: toBaht(transfer.amount),
    ...(expectedAmount === undefined ? {} : { amountInOrder: toBaht(expectedAmount), isAmountMatched }),
    matchedAccount: null,
    rawSlip: rawSlip(slip.text, transfer),
    verificationId,
    ...(duplicate === null ? {} : { duplicate })
  }
}
