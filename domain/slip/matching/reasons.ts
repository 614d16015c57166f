import { findBank } from "../../bank.ts"
import type { Receiver } from "../transfer.ts"
import type { DigitEvidence, ShownNumber } from "./numbers.ts"

/**
 * The reasons of a finding on one account, as clauses for a merchant. They contain no digit and no name of the slip.
 */

const visibleDigits = (count: number): string => `${count} visible digit${count === 1 ? "" : "s"}`

export const agreement = ({ agreeing }: DigitEvidence): string =>
  `${visibleDigits(agreeing)} of its number agree${agreeing === 1 ? "s" : ""}`

export const tooFew = (evidence: DigitEvidence): string =>
  `only ${agreement(evidence)}, and it takes 4, or 3 together with the bank or the name`

export const disagreement = ({ agreeing, disagreeing }: DigitEvidence): string => {
  if (agreeing === 0) return `every visible digit (${disagreeing}) disagrees with its number`
  const disagree = disagreeing === 1 ? "disagrees" : "disagree"
  return `${disagreeing} of ${agreeing + disagreeing} visible digits ${disagree} with its number`
}

export const MERCHANT_AGREES = "the reference or merchant id of the merchant agrees"
export const MERCHANT_DIFFERS = "the slip was paid to another merchant of its biller"
export const REFERENCE_ALONE =
  "its reference agrees, but a payer can write any reference, and the slip shows neither its biller nor its name"
export const NO_REFERENCE = "the slip has no reference or merchant id, and several merchants can have its biller"
export const SHARED_BILLER =
  "the slip shows a biller that all K SHOP merchants share: add the ref1 of your shop (KB and 12 digits) to the account"

export const NAME_AGREES = "the name of the receiver agrees"
export const NAME_DIFFERS = "the receiver has another name"
export const NAME_UNCLEAR = "the slip shows too little of a name to compare, or none in the language of the account's"

export const otherBank = ({ bank: { id } }: Receiver): string =>
  `the slip was paid to ${findBank(id.trim())?.shortCode ?? "another bank"}`

const KINDS: Readonly<Record<string, string>> = {
  ACCOUNT: "an account number",
  MSISDN: "a phone number (MSISDN)",
  NATID: "a national ID (NATID)",
  EWALLETID: "an e-Wallet ID (EWALLETID)",
  BILLERID: "a biller's number (BILLERID)"
}

const describeKind = (kind: string): string => KINDS[kind] ?? "a number of another kind"

const shown = (numbers: ReadonlyArray<ShownNumber>): string =>
  [...new Set(numbers.map(({ kind }) => describeKind(kind)))].join(" and ")

/** The slip has no number that can be the account's. */
export const noNumber = (numbers: ReadonlyArray<ShownNumber>): string =>
  numbers.length === 0
    ? "the slip shows no number of the receiver"
    : `the slip shows ${shown(numbers)}, which says nothing about its number`

/** The slip shows numbers of its receiver, but none of the kind of PromptPay id that was requested. */
export const otherId = (kind: string | null, numbers: ReadonlyArray<ShownNumber>): string =>
  `it is known by ${kind === null ? "a PromptPay id" : describeKind(kind)}, and the slip was paid to ${shown(numbers)}`
