import { findBank } from "../../bank.ts"
import type { AccountQuestion, Finding, ReceivingAccount } from "./receiving-account.ts"

/** The sentences of `reasons`. Of a number they hold the last four digits: reasons travel further than slips do. */

/** More accounts than this are only counted. */
const MAX_LISTED = 10

const bankName = (code: string): string => findBank(code)?.shortCode ?? code

/** An account as its owner knows it again. */
const labelOf = ({ bankCode, bankNumber }: ReceivingAccount): string =>
  `account ${bankNumber.length > 4 ? `...${bankNumber.slice(-4)} ` : ""}at ${bankName(bankCode)}`

const VERDICTS = {
  match: "is the receiver",
  no_match: "is not the receiver",
  indeterminate: "may be the receiver or not"
} as const

const tell = ({ account, because, verdict }: Finding): string =>
  `The ${labelOf(account)} ${VERDICTS[verdict]}: ${because}.`

/** `count`: how many accounts match as well as the one that is taken, which is among them. */
export const tellMatch = (taken: Finding, count: number): ReadonlyArray<string> =>
  count === 1 ? [tell(taken)] : [
    tell(taken),
    `${count} accounts match equally well, and this one was linked first: give bankCode to compare the accounts of `
    + "one bank alone."
  ]

const tellEach = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const more = findings.length - MAX_LISTED
  const told = findings.slice(0, MAX_LISTED).map(tell)
  return more > 0 ? [...told, `${more} more ${more === 1 ? "account" : "accounts"} did not match either.`] : told
}

export const tellNoMatch = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => [
  ...tellEach(findings),
  "The slip was paid to someone else: do not deliver on it. If the receiver is yours all the same, register that "
  + "account with POST /v2/bank-accounts and verify the slip again."
]

/** Those that are left open come first: they are where the money may be. */
export const tellIndeterminate = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => [
  ...tellEach([
    ...findings.filter(({ verdict }) => verdict === "indeterminate"),
    ...findings.filter(({ verdict }) => verdict !== "indeterminate")
  ]),
  "The slip neither proves nor rules out that it was paid to you: look for the money in your account before you "
  + "deliver. If the receiver is yours and not among these, register that account with POST /v2/bank-accounts."
]

/** There was no account to compare. */
export const tellNone = ({ bankCode, extraVerify }: AccountQuestion): ReadonlyArray<string> => {
  if (bankCode === undefined) {
    return ["This branch has no active receiving account to compare with: register one with POST /v2/bank-accounts."]
  }
  const kind = bankCode === "PROMPTPAY" && extraVerify !== undefined ? ` with extraVerify ${extraVerify}` : ""
  return [
    `This branch has no active receiving account at ${bankName(bankCode)}${kind} to compare with: register one with `
    + "POST /v2/bank-accounts, or leave bankCode out to compare the accounts of all banks."
  ]
}
