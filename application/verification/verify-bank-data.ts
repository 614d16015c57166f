import { findBank } from "../../domain/bank.ts"
import { toBaht } from "../../domain/money.ts"
import type { Transfer } from "../../domain/slip/transfer.ts"
import type { Verification } from "./verification-view.ts"
import type { Matching } from "../../domain/slip/matching/recorded-matching.ts"

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

/**
 * The content of a slip on the wire, in v1 and v2 (docs/spec/http.md, "rawSlip"): money in baht, every field present.
 */
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
      local: local === undefined ? { amount, currency: BAHT } : { amount: local.amount / 100, currency: local.currency }
    },
    fee: toBaht(transfer.fee),
    ref1: transfer.ref1,
    ref2: transfer.ref2,
    ref3: transfer.ref3,
    sender: party(transfer.sender),
    receiver: { ...party(transfer.receiver), merchantId: transfer.receiver.merchantId }
  }
}

const matchedAccount = ({ bankCode, ...account }: NonNullable<Matching["account"]>) => {
  const bank = findBank(bankCode)
  return {
    id: account.id,
    bank: {
      code: bankCode,
      nameTh: bank?.nameTh ?? "",
      nameEn: bank?.nameEn ?? "",
      shortCode: bank?.shortCode ?? ""
    },
    nameTh: account.nameTh,
    nameEn: account.nameEn,
    type: account.type,
    bankNumber: account.bankNumber
  }
}

const match = ({ isAmbiguous, reasons, verdict }: Matching) => ({ account: verdict, isAmbiguous, reasons })

/** The verdict on the wire (docs/spec/http.md, "VerifyBankData"). */
export const verifyBankData = (verification: Verification) => {
  const { duplicate, expectedAmount, isAmountMatched, matching, transfer, verificationId } = verification
  const { isForgotten, payload, remark } = verification
  const account = matching?.account ?? null
  return {
    ...(remark === undefined ? {} : { remark }),
    isDuplicate: duplicate !== null,
    amountInSlip: toBaht(transfer.amount),
    ...(expectedAmount === undefined ? {} : { amountInOrder: toBaht(expectedAmount), isAmountMatched }),
    matchedAccount: account === null ? null : matchedAccount(account),
    rawSlip: rawSlip(payload, transfer),
    verificationId,
    ...(duplicate === null ? {} : { duplicate }),
    ...(matching === null ? {} : { match: match(matching) }),
    ...(isForgotten ? { isForgotten } : {})
  }
}
