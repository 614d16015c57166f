import type { Receiver } from "../../../domain/slip/transfer.ts"
import { type Fields, fieldsOf, textOf } from "./fields.ts"
import { partyBank } from "./party-bank.ts"

export type Party = Omit<Receiver, "merchantId">

/** Sender or receiver in the words that SCB and KBank share, at the bank of that code; an empty code is no bank. */
export const partyOf = (value: unknown, bankCode: string): Party => {
  const party = fieldsOf(value)
  const account = numberOf(party["account"])
  const proxy = numberOf(party["proxy"])
  return {
    bank: partyBank(bankCode),
    account: {
      name: namesOf(party),
      ...(account === undefined ? {} : { bank: account }),
      ...(proxy === undefined ? {} : { proxy })
    }
  }
}

/**
 * The banks say `displayName` in Thai and `name` in English, as a rule: companies, foreigners and some banks have only
 * the one or the other, in either field. The script decides, and the field only where both are of one script.
 */
const namesOf = (party: Fields): Party["account"]["name"] => {
  const names = [textOf(party["displayName"]), textOf(party["name"])].filter((name) => name !== "")
  const th = names.find((name) => thai.test(name))
  const en = names.findLast((name) => !thai.test(name))
  return { ...(th === undefined ? {} : { th }), ...(en === undefined ? {} : { en }) }
}

const thai = /\p{Script=Thai}/u

/** A partly masked number; undefined where there is none, which banks write as null, as "" or not at all. */
const numberOf = (value: unknown): Party["account"]["proxy"] => {
  const number = fieldsOf(value)
  const account = textOf(number["value"])
  return account === "" ? undefined : { type: textOf(number["type"]), account }
}
