import { findBank } from "../../bank.ts"
import type { AccountQuestion, Finding, ReceivingAccount } from "./receiving-account.ts"

/**
 * The sentences of `reasons`. They show at most the last four digits of a number: reasons reach more readers than
 * slips.
 */

/** More accounts than this are only counted. */
const MAX_LISTED = 10

const bankName = (code: string): string => findBank(code)?.shortCode ?? code

/** A text by which the owner recognizes the account. */
const labelOf = ({ bankCode, bankNumber, merchantId, ref1 }: ReceivingAccount): string => {
  const number = ref1 ?? merchantId ?? bankNumber
  return `account ${number.length > 4 ? `...${number.slice(-4)} ` : ""}at ${bankName(bankCode)}`
}

const VERDICTS = {
  match: "is the receiver",
  no_match: "is not the receiver",
  indeterminate: "may be the receiver or not"
} as const

const sentenceOf = ({ account, because, verdict }: Finding): string =>
  `The ${labelOf(account)} ${VERDICTS[verdict]}: ${because}.`

/** `count`: how many accounts match equally well, including the chosen one. */
export const explainMatch = (chosen: Finding, count: number): ReadonlyArray<string> =>
  count === 1 ? [sentenceOf(chosen)] : [
    sentenceOf(chosen),
    `${count} accounts match equally well, and this one was linked first: give bankCode to compare the accounts of `
    + "one bank alone."
  ]

const listFindings = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const more = findings.length - MAX_LISTED
  const sentences = findings.slice(0, MAX_LISTED).map(sentenceOf)
  return more > 0
    ? [...sentences, `${more} more ${more === 1 ? "account" : "accounts"} did not match either.`]
    : sentences
}

export const explainNoMatch = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => [
  ...listFindings(findings),
  "The slip was paid to someone else: do not deliver on it. If the receiver is yours all the same, register that "
  + "account with POST /v2/bank-accounts and verify the slip again."
]

/** Indeterminate accounts come first, because the money may be there. */
export const explainIndeterminate = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => [
  ...listFindings([
    ...findings.filter(({ verdict }) => verdict === "indeterminate"),
    ...findings.filter(({ verdict }) => verdict !== "indeterminate")
  ]),
  "The slip neither proves nor rules out that it was paid to you: look for the money in your account before you "
  + "deliver. If the receiver is yours and not among these, register that account with POST /v2/bank-accounts."
]

/** There was no account to compare. */
export const explainNoAccount = ({ bankCode, extraVerify }: AccountQuestion): ReadonlyArray<string> => {
  if (bankCode === undefined) {
    return ["This branch has no active receiving account to compare with: register one with POST /v2/bank-accounts."]
  }
  const kind = bankCode === "PROMPTPAY" && extraVerify !== undefined ? ` with extraVerify ${extraVerify}` : ""
  return [
    `This branch has no active receiving account at ${bankName(bankCode)}${kind} to compare with: register one with `
    + "POST /v2/bank-accounts, or leave bankCode out to compare the accounts of all banks."
  ]
}
